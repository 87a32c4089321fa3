-- SPDX-License-Identifier: Apache-2.0
INSERT OR IGNORE INTO rank SELECT DISTINCT rank, (SELECT count(DISTINCT rank) FROM work), rank, 0 FROM work;
INSERT INTO track SELECT row_number() OVER (ORDER BY rank, lane), rank, 0, 1, 0, -1, -1, lane
  FROM (SELECT DISTINCT rank, lane FROM work);
INSERT INTO name SELECT row_number() OVER (ORDER BY stage), stage, '' FROM (SELECT DISTINCT stage FROM work);
CREATE TEMP TABLE about AS
  SELECT row_number() OVER (ORDER BY stage, part, pass, step, layer, wave) AS id, stage, part, pass, step, layer, wave
  FROM (SELECT DISTINCT stage, part, pass, step, layer, wave FROM work);
INSERT INTO context
  SELECT about.id, 1, 0, stage.value, 0, part.value, pass.value, step, layer, -1, wave, -1, 0, 0
  FROM about
  JOIN enum_value stage ON stage.enumeration = 'stage' AND stage.text = about.stage
  JOIN enum_value part ON part.enumeration = 'part' AND part.text = about.part
  JOIN enum_value pass ON pass.enumeration = 'pass' AND pass.text = about.pass;
INSERT INTO span(rowid, start_rel, dur, track, name, context, correlation)
  SELECT work.rowid, begin_ns, end_ns - begin_ns, track.id, name.id, about.id, 0
  FROM work
  JOIN track ON track.rank = work.rank AND track.name = work.lane
  JOIN name ON name.text = work.stage
  JOIN about USING (stage, part, pass, step, layer, wave);
INSERT INTO span_quantity SELECT rowid, bytes, flops FROM work WHERE bytes >= 0 OR flops IS NOT NULL;
