PRAGMA application_id = 252006;
