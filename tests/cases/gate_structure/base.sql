-- On a virtual clock: a step of 100 us, 20 of it exposed.
UPDATE clock SET kind = 2, name = 'virtual';
INSERT INTO work(rank, lane, stage, begin_ns, end_ns, step) VALUES
  (0, 'link', 'dispatch', 0, 20000, 0), (0, 'compute', 'l1', 20000, 100000, 0);
INSERT INTO step VALUES(0, 0, 0, 1, 0, 0, 100000);
