-- Two waves in layer 0 of one step; us as ns x 1000. dispatch 0-10, 10-20; l1 10-30, 30-50; combine 30-40, 50-60.
INSERT INTO work(rank, lane, stage, begin_ns, end_ns, step, layer, wave) VALUES
  (0, 'link', 'dispatch', 0, 10000, 0, 0, 0), (0, 'link', 'dispatch', 10000, 20000, 0, 0, 1),
  (0, 'compute', 'l1', 10000, 30000, 0, 0, 0), (0, 'compute', 'l1', 30000, 50000, 0, 0, 1),
  (0, 'link', 'combine', 30000, 40000, 0, 0, 0), (0, 'link', 'combine', 50000, 60000, 0, 0, 1);
INSERT INTO step VALUES(0, 0, 7, 1, 0, 0, 62000);
