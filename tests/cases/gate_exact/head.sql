-- The same work with 4 us more in the open: 4 % of the step.
UPDATE clock SET kind = 2, name = 'virtual';
INSERT INTO work(rank, lane, stage, begin_ns, end_ns, step) VALUES
  (0, 'link', 'dispatch', 0, 24000, 0), (0, 'compute', 'l1', 24000, 104000, 0);
INSERT INTO step VALUES(0, 0, 0, 1, 0, 0, 104000);
