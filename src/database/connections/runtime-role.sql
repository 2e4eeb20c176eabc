-- Privileges of the runtime role: it reads and writes rows, and changes nothing else. The owner of the tables runs this after
-- each migration (src/database/connections/runtime-role.ts); the name of the role is in the setting triptych.runtime_role. Privileges that
-- are as they should be are left alone, so that a start does not invalidate the plans of other processes.
DO $$
DECLARE
  runtime text := current_setting('triptych.runtime_role');
  statement text;
BEGIN
  -- The database and the schemas: no objects of its own, not even temporary ones.
  IF NOT has_database_privilege(runtime, current_database(), 'CONNECT') THEN
    EXECUTE format('GRANT CONNECT ON DATABASE %I TO %I', current_database(), runtime);
  END IF;
  IF has_database_privilege(runtime, current_database(), 'CREATE') OR has_database_privilege(runtime, current_database(), 'TEMPORARY') THEN
    EXECUTE format('REVOKE CREATE, TEMPORARY ON DATABASE %I FROM PUBLIC, %I', current_database(), runtime);
  END IF;
  FOR statement IN
    SELECT command
      FROM pg_namespace AS n,
           LATERAL (VALUES
             (NOT has_schema_privilege(runtime, n.oid, 'USAGE'), format('GRANT USAGE ON SCHEMA %I TO %I', n.nspname, runtime)),
             (has_schema_privilege(runtime, n.oid, 'CREATE'), format('REVOKE CREATE ON SCHEMA %I FROM PUBLIC, %I', n.nspname, runtime))
           ) AS change (needed, command)
     WHERE n.nspname IN (current_schema(), 'queue') AND needed
  LOOP
    EXECUTE statement;
  END LOOP;

  -- Tables: rows can be read, added, changed and deleted, with four exceptions.
  FOR statement IN
    SELECT CASE WHEN wanted THEN format('GRANT %s ON TABLE %s TO %I', privilege, t.oid::regclass, runtime)
                ELSE format('REVOKE %s ON TABLE %s FROM PUBLIC, %I', privilege, t.oid::regclass, runtime) END
      FROM pg_class AS t,
           -- Append-only tables are those whose trigger refuses changes.
           LATERAL (SELECT EXISTS (SELECT FROM pg_trigger WHERE tgrelid = t.oid AND tgfoid = 'refuse_change'::regproc) AS append_only) AS trigger,
           -- These two are written by migrations alone, and a view is only read.
           LATERAL (SELECT t.relname IN ('_prisma_migrations', 'log_epoch') OR t.relkind = 'v' AS read_only) AS migration,
           -- The partitions of the logs are read and written through them alone, so that nobody evades what is asked of a log.
           LATERAL (SELECT t.relispartition AND append_only AS log_partition) AS partition,
           LATERAL (VALUES
             ('SELECT', NOT log_partition),
             ('INSERT', NOT log_partition AND NOT read_only),
             ('UPDATE', NOT read_only AND NOT append_only),
             ('DELETE', NOT read_only AND NOT append_only),
             ('TRUNCATE', false),
             ('REFERENCES', false),
             ('TRIGGER', false)
           ) AS rule (privilege, wanted)
     WHERE t.relnamespace IN (SELECT oid FROM pg_namespace WHERE nspname IN (current_schema(), 'queue'))
       AND t.relkind IN ('r', 'p', 'v')
       AND pg_has_role(t.relowner, 'USAGE')
       AND has_table_privilege(runtime, t.oid, privilege) <> wanted
  LOOP
    EXECUTE statement;
  END LOOP;

  -- Sequences: the next id.
  FOR statement IN
    SELECT format('GRANT USAGE ON SEQUENCE %s TO %I', s.oid::regclass, runtime)
      FROM pg_sequence AS q
      JOIN pg_class AS s ON s.oid = q.seqrelid
     WHERE s.relnamespace IN (SELECT oid FROM pg_namespace WHERE nspname IN (current_schema(), 'queue'))
       AND pg_has_role(s.relowner, 'USAGE')
       AND NOT has_sequence_privilege(runtime, q.seqrelid, 'USAGE')
  LOOP
    EXECUTE statement;
  END LOOP;
END $$;
