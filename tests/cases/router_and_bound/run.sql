-- Two ranks, four experts, one layer, times in us x 1000. Each rank: dispatch 10, l1 30, act 2, l2 18, combine 20.
UPDATE clock SET kind = 2, name = 'virtual';
INSERT INTO work(rank, lane, stage, begin_ns, end_ns, step, layer, bytes, flops) VALUES
  (0, 'link', 'dispatch', 0, 10000, 0, 0, 64000, NULL), (0, 'compute', 'l1', 10000, 40000, 0, 0, -1, 4e9),
  (0, 'compute', 'act', 40000, 42000, 0, 0, -1, NULL), (0, 'compute', 'l2', 42000, 60000, 0, 0, -1, 2e9),
  (0, 'link', 'combine', 60000, 80000, 0, 0, 128000, NULL),
  (1, 'link', 'dispatch', 0, 10000, 0, 0, 64000, NULL), (1, 'compute', 'l1', 10000, 40000, 0, 0, -1, 4e9),
  (1, 'compute', 'act', 40000, 42000, 0, 0, -1, NULL), (1, 'compute', 'l2', 42000, 60000, 0, 0, -1, 2e9),
  (1, 'link', 'combine', 60000, 80000, 0, 0, 128000, NULL);
INSERT INTO step VALUES(0, 0, 0, 1, 0, 0, 80000), (1, 0, 0, 1, 0, 0, 80000);
INSERT INTO model VALUES('toy', 64, 96, 4, 2, 1, 0, 1, 1.0, 2.0, NULL, 0, 'annotation');
INSERT INTO device VALUES(0, 0, 'toy', 200e12, 10.0, 2, -1, 'annotation'), (1, 0, 'toy', 200e12, 10.0, 2, -1, 'annotation');
-- side 1: received. Experts 0 and 1 live on rank 0.
INSERT INTO router_load VALUES
  (0, 0, -1, 0, 0, 1, 50, 40), (0, 0, -1, 0, 1, 1, 20, 20), (0, 0, -1, 1, 2, 1, 20, 20), (0, 0, -1, 1, 3, 1, 0, 0);
