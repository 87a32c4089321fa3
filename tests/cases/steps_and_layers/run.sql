-- Two ranks, three steps numbered 10 to 12, two layers. Dispatch of rank r, step s, layer l lasts 10 + r + s + 4 l us,
-- nothing hides it.
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 11)
INSERT INTO work(rank, lane, stage, begin_ns, end_ns, step, layer)
  SELECT i % 2, 'link', 'dispatch', 100000 * (i / 4) + 50000 * (i / 2 % 2),
         100000 * (i / 4) + 50000 * (i / 2 % 2) + 1000 * (10 + i % 2 + i / 4 + 4 * (i / 2 % 2)), i / 4, i / 2 % 2
  FROM n;
INSERT INTO step SELECT rank, step, 10 + step, 1, 0, 100000 * step, 90000 FROM work GROUP BY rank, step;
