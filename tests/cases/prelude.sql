-- SPDX-License-Identifier: Apache-2.0
-- What every run.sql of a case can count on: one process that ended well, one monotonic clock, and the table `work`, a
-- span a row, in words. postlude.sql turns it into the raw tables.
INSERT INTO run VALUES(1, 'test', 'uuid', 'case', 'random', 0, 'moescope', '', 0, 1, 'exit');
INSERT INTO process VALUES('host', 1, 0, 'boot', -1, 'job', '["job"]', 'none');
INSERT INTO clock VALUES(0, 0, 'monotonic', 0);
CREATE TEMP TABLE work(
  rank INTEGER, lane TEXT, stage TEXT, begin_ns INTEGER, end_ns INTEGER,
  step INTEGER DEFAULT -1, layer INTEGER DEFAULT -1, wave INTEGER DEFAULT -1, pass TEXT DEFAULT 'forward',
  part TEXT DEFAULT 'payload', bytes INTEGER DEFAULT -1, flops REAL);
