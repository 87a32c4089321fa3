UPDATE clock SET kind = 2, name = 'virtual';
INSERT INTO work(rank, lane, stage, begin_ns, end_ns, step) VALUES
  (0, 'link', 'dispatch', 0, 20000, 0), (0, 'compute', 'l1', 20000, 100000, 0), (0, 'link', 'combine', 100000, 110000, 0);
INSERT INTO step VALUES(0, 0, 0, 1, 0, 0, 110000);
