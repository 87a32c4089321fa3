-- SPDX-License-Identifier: Apache-2.0
-- The run file, schema version 1: what was seen, one file a process. `sqlite3 FILE .schema` prints this page.
-- Enumerations are the numbers of moescope/stage.h. -1 in an integer column: not known, or does not apply.
-- Times are integer nanoseconds. A track's times are relative to its clock's base_ns: absolute = base_ns + start_rel.

CREATE TABLE run(                        -- exactly one row
  schema_version   INTEGER NOT NULL,     -- 1
  tool_version     TEXT NOT NULL,        -- moescope release that wrote it
  file_uuid        TEXT NOT NULL,        -- random; (file_uuid, local id) is a global key
  run_id           TEXT NOT NULL,        -- one job = one run_id
  run_id_source    TEXT NOT NULL,        -- moescope|slurm|torchelastic|mpi|random|import
  attempt          INTEGER NOT NULL,     -- restart count of the job, 0 first
  format           TEXT NOT NULL,        -- moescope (recorded) or the importer's name
  source_path      TEXT NOT NULL,        -- what was imported; empty when recorded
  started_unix_ns  INTEGER NOT NULL,     -- wall clock at the start, ns since 1970
  ended_unix_ns    INTEGER,              -- NULL: no clean end, the record was cut short
  end_kind         TEXT                  -- exit|_exit|import; NULL as above
);
CREATE TABLE process(                    -- exactly one row
  host             TEXT NOT NULL,
  pid              INTEGER NOT NULL,
  image_start_ns   INTEGER NOT NULL,     -- CLOCK_MONOTONIC ns when this program image loaded the collector
  boot_id          TEXT NOT NULL,        -- equal boot_id = the same CLOCK_MONOTONIC
  pid_namespace    INTEGER NOT NULL,     -- inode of /proc/self/ns/pid, -1 unknown
  executable       TEXT NOT NULL,
  argv             TEXT NOT NULL,        -- JSON array, secrets masked
  rank_source      TEXT NOT NULL         -- which variable named the rank: RANK|OMPI_COMM_WORLD_RANK|PMI_RANK|...|annotation|none
);
CREATE TABLE rank(                       -- the ranks that live in this process
  rank             INTEGER PRIMARY KEY,
  world_size       INTEGER NOT NULL,
  local_rank       INTEGER NOT NULL,
  node             INTEGER NOT NULL      -- index of the node, -1 unknown
);
CREATE TABLE device(                     -- what a rank computes on
  rank             INTEGER NOT NULL,
  device           INTEGER NOT NULL,     -- ordinal within the rank
  name             TEXT NOT NULL,
  peak_flops       REAL,                 -- FLOP/s, NULL unknown
  link_gb_s        REAL,                 -- 1e9 bytes/s, one direction, NULL unknown
  link_kind        INTEGER NOT NULL,
  sm_count         INTEGER NOT NULL,
  source           TEXT NOT NULL,        -- annotation|import|nvml
  PRIMARY KEY(rank, device)
);
CREATE TABLE model(                      -- at most one row; what annotations or the importer said of the model
  name             TEXT NOT NULL,
  hidden           INTEGER NOT NULL,     -- h
  intermediate     INTEGER NOT NULL,     -- d, one expert's intermediate width
  experts          INTEGER NOT NULL,
  top_k            INTEGER NOT NULL,
  layers           INTEGER NOT NULL,
  shared_experts   INTEGER NOT NULL,
  gated            INTEGER NOT NULL,     -- 1 gate and up projections, 0 not, -1 unknown
  dispatch_bytes_per_element REAL,       -- bytes, scales included; NULL unknown
  combine_bytes_per_element  REAL,
  weight_bytes_per_element   REAL,
  synthetic_routing INTEGER NOT NULL,    -- 1 routing forced or made up, 0 real, -1 unknown
  source           TEXT NOT NULL
);
CREATE TABLE clock(
  id               INTEGER PRIMARY KEY,  -- 0 = CLOCK_MONOTONIC of the host
  kind             INTEGER NOT NULL,     -- enum moescope_clock_kind
  name             TEXT NOT NULL,
  base_ns          INTEGER NOT NULL      -- ns on that clock; relative times count from here
);
CREATE TABLE clock_sync(                 -- the same instant read on two clocks
  clock_a          INTEGER NOT NULL,
  a_ns             INTEGER NOT NULL,     -- ns, absolute on clock_a
  clock_b          INTEGER NOT NULL,
  b_ns             INTEGER NOT NULL,     -- ns, absolute on clock_b
  uncertainty_ns   INTEGER NOT NULL      -- half the bracketing interval, ns
);
CREATE TABLE track(                      -- one lane of spans
  id               INTEGER PRIMARY KEY,
  rank             INTEGER NOT NULL,     -- -1: no rank known
  device           INTEGER NOT NULL,     -- device ordinal, -1 host
  kind             INTEGER NOT NULL,     -- enum moescope_track_kind
  clock            INTEGER NOT NULL,
  os_tid           INTEGER NOT NULL,     -- thread id, -1 none
  stream           INTEGER NOT NULL,     -- GPU stream, -1 none
  name             TEXT NOT NULL
);
CREATE TABLE name(                       -- interned strings
  id               INTEGER PRIMARY KEY,
  text             TEXT NOT NULL,
  domain           TEXT NOT NULL         -- NVTX domain, empty otherwise
);
CREATE TABLE context(                    -- interned: what a span is about
  id               INTEGER PRIMARY KEY,
  kind             INTEGER NOT NULL,     -- enum moescope_span_kind
  copy_kind        INTEGER NOT NULL,     -- enum moescope_copy_kind
  stage            INTEGER NOT NULL,     -- as said by the job; 0 where only the name can tell
  role             INTEGER NOT NULL,     -- as said by the job; 0 where it did not
  part             INTEGER NOT NULL,
  pass             INTEGER NOT NULL,
  step             INTEGER NOT NULL,     -- step.step (ordinal)
  layer            INTEGER NOT NULL,
  micro_batch      INTEGER NOT NULL,
  wave             INTEGER NOT NULL,     -- experts split
  chunk            INTEGER NOT NULL,     -- tokens split
  source           INTEGER NOT NULL,     -- enum moescope_source
  flags            INTEGER NOT NULL      -- 1 unterminated (closed at flush), 2 no timestamps, 4 a framework's operator range
);
CREATE TABLE span(
  start_rel        INTEGER NOT NULL,     -- ns since the base of its track's clock
  dur              INTEGER NOT NULL,     -- ns
  track            INTEGER NOT NULL,
  name             INTEGER NOT NULL,
  context          INTEGER NOT NULL,
  correlation      INTEGER NOT NULL      -- ties a launch to its kernel; 0 none
);
CREATE TABLE span_quantity(              -- for the spans that have any
  span             INTEGER PRIMARY KEY,  -- span.rowid
  bytes            INTEGER NOT NULL,     -- bytes on the wire, -1 unknown
  flops            REAL                  -- FLOPs, multiply-add = 2; NULL unknown
);
CREATE TABLE step(
  rank             INTEGER NOT NULL,
  step             INTEGER NOT NULL,     -- ordinal within the process and rank: its identity
  number           INTEGER NOT NULL,     -- the user's number
  kind             INTEGER NOT NULL,     -- enum moescope_step_kind
  clock            INTEGER NOT NULL,
  start_rel        INTEGER NOT NULL,     -- ns since the clock's base
  dur              INTEGER NOT NULL,     -- ns, -1: no end seen
  PRIMARY KEY(rank, step)
);
CREATE TABLE router_load(                -- tokens per expert
  step             INTEGER NOT NULL,     -- ordinal
  layer            INTEGER NOT NULL,
  micro_batch      INTEGER NOT NULL,
  rank             INTEGER NOT NULL,
  expert           INTEGER NOT NULL,
  side             INTEGER NOT NULL,     -- enum moescope_side
  assigned         INTEGER NOT NULL,     -- token-expert pairs
  kept             INTEGER NOT NULL      -- pairs after drops
);
CREATE TABLE peer_traffic(               -- bytes from one rank to each peer in one stage instance
  step             INTEGER NOT NULL,
  layer            INTEGER NOT NULL,
  micro_batch      INTEGER NOT NULL,
  wave             INTEGER NOT NULL,
  stage            INTEGER NOT NULL,
  pass             INTEGER NOT NULL,
  src_rank         INTEGER NOT NULL,
  dst_rank         INTEGER NOT NULL,
  bytes            INTEGER NOT NULL      -- src = dst: stayed local, crossed no link
);
CREATE TABLE comm_group(
  id               INTEGER PRIMARY KEY,
  kind             INTEGER NOT NULL,     -- enum moescope_group_kind
  name             TEXT NOT NULL
);
CREATE TABLE comm_group_rank(
  comm_group       INTEGER NOT NULL,
  position         INTEGER NOT NULL,     -- rank's index in the group
  rank             INTEGER NOT NULL
);
CREATE TABLE collective(                 -- one rank's part in one collective or point-to-point call
  span             INTEGER NOT NULL,     -- span.rowid, -1: the call was seen, its span was not
  rank             INTEGER NOT NULL,
  comm_group       INTEGER NOT NULL,     -- comm_group.id, -1 unknown
  sequence         INTEGER NOT NULL,     -- n-th operation of its group, as the record numbers it; -1 unknown
  op               INTEGER NOT NULL,     -- name.id: all_to_allv, AllReduce, ... as the record says it
  element_type     INTEGER NOT NULL,     -- name.id, of an empty text where unknown
  elements_in      INTEGER NOT NULL,     -- elements in this rank's send buffer, -1 unknown
  elements_out     INTEGER NOT NULL,     -- elements in this rank's receive buffer
  bytes_in         INTEGER NOT NULL,     -- the same in bytes: logical, not what crossed a link
  bytes_out        INTEGER NOT NULL,
  group_size       INTEGER NOT NULL,
  root_or_peer     INTEGER NOT NULL,     -- the root's or peer's rank, -1 none or unknown
  in_splits        TEXT NOT NULL,        -- elements to each member, JSON array in group order; empty unknown
  out_splits       TEXT NOT NULL,        -- elements from each member
  algorithm        TEXT NOT NULL,        -- ring, tree, nvls, ...; empty unknown
  protocol         TEXT NOT NULL,        -- simple, ll, ll128; empty unknown
  channels         INTEGER NOT NULL
);
CREATE TABLE expert_placement(
  valid_from_step  INTEGER NOT NULL,
  layer            INTEGER NOT NULL,     -- -1: every layer
  physical         INTEGER NOT NULL,
  logical          INTEGER NOT NULL,
  rank             INTEGER NOT NULL
);
CREATE TABLE link(
  id               INTEGER PRIMARY KEY,
  rank             INTEGER NOT NULL,
  kind             INTEGER NOT NULL,     -- enum moescope_link_kind
  name             TEXT NOT NULL,
  peak_gb_s        REAL                  -- 1e9 bytes/s, one direction, NULL unknown
);
CREATE TABLE link_sample(
  link             INTEGER NOT NULL,
  t_rel            INTEGER NOT NULL,     -- ns since the base of clock 0
  tx_bytes         INTEGER NOT NULL,     -- running total, bytes
  rx_bytes         INTEGER NOT NULL
);
CREATE TABLE device_sample(              -- power, clocks, temperature, activity
  rank             INTEGER NOT NULL,
  device           INTEGER NOT NULL,
  t_rel            INTEGER NOT NULL,     -- ns since the base of clock 0
  quantity         INTEGER NOT NULL,     -- name.id; the unit is in the name: power_mw, sm_clock_mhz, temperature_c, throttle_mask
  value            REAL NOT NULL
);
CREATE TABLE diagnostic(                 -- what went wrong or was left out, and the collector's own cost
  severity         TEXT NOT NULL,        -- info|warning|error
  code             TEXT NOT NULL,        -- snake_case, stable
  count            INTEGER NOT NULL,
  detail           TEXT NOT NULL
);

-- Names resolved, for plain sqlite3. Enumerations are turned into their words by the enum_* tables, filled at creation.
CREATE TABLE enum_value(enumeration TEXT NOT NULL, value INTEGER NOT NULL, text TEXT NOT NULL, PRIMARY KEY(enumeration, value));

CREATE VIEW stage_span AS
  SELECT span.rowid AS id, track.rank, track.name AS track, clock.base_ns + span.start_rel AS start_ns, span.dur AS dur_ns,
         stage.text AS stage, role.text AS role, part.text AS part, pass.text AS pass, kind.text AS kind,
         source.text AS source, name.text AS name, context.step, context.layer, context.micro_batch, context.wave,
         context.chunk, span_quantity.bytes, span_quantity.flops, span.correlation, clock.name AS clock
  FROM span
  JOIN track ON track.id = span.track
  JOIN clock ON clock.id = track.clock
  JOIN context ON context.id = span.context
  JOIN name ON name.id = span.name
  LEFT JOIN span_quantity ON span_quantity.span = span.rowid
  LEFT JOIN enum_value stage ON stage.enumeration = 'stage' AND stage.value = context.stage
  LEFT JOIN enum_value role ON role.enumeration = 'stage' AND role.value = context.role
  LEFT JOIN enum_value part ON part.enumeration = 'part' AND part.value = context.part
  LEFT JOIN enum_value pass ON pass.enumeration = 'pass' AND pass.value = context.pass
  LEFT JOIN enum_value kind ON kind.enumeration = 'span_kind' AND kind.value = context.kind
  LEFT JOIN enum_value source ON source.enumeration = 'source' AND source.value = context.source;

CREATE VIEW wave AS
  SELECT rank, step, layer, micro_batch, wave, role AS stage, min(start_ns) AS start_ns, max(start_ns + dur_ns) AS end_ns,
         count(*) AS spans, sum(bytes) AS bytes, sum(flops) AS flops
  FROM stage_span WHERE wave >= 0 GROUP BY rank, step, layer, micro_batch, wave, role;

CREATE VIEW router AS
  SELECT step, layer, micro_batch, rank, side.text AS side, expert, assigned, kept, assigned - kept AS dropped
  FROM router_load LEFT JOIN enum_value side ON side.enumeration = 'side' AND side.value = router_load.side;

CREATE VIEW collective_call AS
  SELECT collective.rank, comm_group.name AS comm_group, collective.sequence, op.text AS op, type.text AS element_type,
         elements_in, elements_out, bytes_in, bytes_out, group_size, root_or_peer, algorithm, protocol, channels,
         clock.base_ns + span.start_rel AS start_ns, span.dur AS dur_ns, collective.span
  FROM collective
  LEFT JOIN comm_group ON comm_group.id = collective.comm_group
  LEFT JOIN name op ON op.id = collective.op
  LEFT JOIN name type ON type.id = collective.element_type
  LEFT JOIN span ON span.rowid = collective.span
  LEFT JOIN track ON track.id = span.track
  LEFT JOIN clock ON clock.id = track.clock;

CREATE VIEW link_rate AS                 -- GB/s = 1e9 bytes/s between neighbouring samples, one direction
  SELECT link.rank, link.name AS link, link.kind, a.t_rel AS from_rel, b.t_rel AS to_rel,
         (b.tx_bytes - a.tx_bytes) * 1.0 / (b.t_rel - a.t_rel) AS tx_gb_s,
         (b.rx_bytes - a.rx_bytes) * 1.0 / (b.t_rel - a.t_rel) AS rx_gb_s, link.peak_gb_s
  FROM link_sample a
  JOIN link_sample b ON b.link = a.link
   AND b.t_rel = (SELECT min(c.t_rel) FROM link_sample c WHERE c.link = a.link AND c.t_rel > a.t_rel)
  JOIN link ON link.id = a.link;
