-- Killed in its second step.
UPDATE run SET ended_unix_ns = NULL, end_kind = NULL;
INSERT INTO work(rank, lane, stage, begin_ns, end_ns, step) VALUES
  (0, 'link', 'dispatch', 0, 20000, 0), (0, 'compute', 'l1', 20000, 100000, 0), (0, 'link', 'dispatch', 100000, 150000, 1);
INSERT INTO step VALUES(0, 0, 0, 1, 0, 0, 100000), (0, 1, 1, 1, 0, 100000, -1);
