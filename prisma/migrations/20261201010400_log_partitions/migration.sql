-- The logs `audit_entry` and `event` are divided into partitions by month (UTC), so that months of years ago can be taken away whole.
-- A row whose month has no partition goes into the partition `…_default`, so that no insert fails.

-- The partitions of the logs, each with the instants that its rows are not before, and are before. Both are null for the default one, and
-- the lower one for a first partition without a lower end.
CREATE FUNCTION log_partitions() RETURNS TABLE (log text, name text, lower timestamptz, upper timestamptz)
LANGUAGE sql STABLE SET search_path FROM CURRENT AS $$
  SELECT p.relname::text, c.relname::text,
         substring(b.bound FROM $r$FROM \('([^']+)'\)$r$)::timestamptz, substring(b.bound FROM $r$TO \('([^']+)'\)$r$)::timestamptz
    FROM pg_inherits i
    JOIN pg_class p ON p.oid = i.inhparent
    JOIN pg_class c ON c.oid = i.inhrelid
   CROSS JOIN LATERAL (SELECT pg_get_expr(c.relpartbound, c.oid) AS bound) b
   WHERE i.inhparent IN (to_regclass('audit_entry'), to_regclass('event')) AND p.relkind = 'p' AND c.relkind = 'r'
$$;

-- The column by which a log is divided.
CREATE FUNCTION log_partition_column(log text) RETURNS text LANGUAGE sql STABLE SET search_path FROM CURRENT AS $$
  SELECT a.attname::text FROM pg_partitioned_table t JOIN pg_attribute a ON a.attrelid = t.partrelid AND a.attnum = t.partattrs[0]
   WHERE t.partrelid = to_regclass(log)
$$;

-- A partition is written through its log alone: nobody has privileges on it, and rows are neither changed nor truncated there.
CREATE FUNCTION guard_log_partition(log text, partition text) RETURNS void LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  command text;
BEGIN
  FOR command IN
    SELECT DISTINCT format('REVOKE ALL ON TABLE %I FROM %s', partition, CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE a.grantee::regrole::text END)
      FROM pg_class c, aclexplode(c.relacl) a
     WHERE c.oid = to_regclass(quote_ident(partition)) AND a.grantee <> c.relowner
     UNION ALL
    -- Triggers of rows come with the log, those of statements do not.
    SELECT replace(pg_get_triggerdef(t.oid, true), format(' ON %s ', t.tgrelid::regclass), format(' ON %I ', partition))
      FROM (SELECT * FROM pg_trigger WHERE tgrelid = to_regclass(quote_ident(log)) AND NOT tgisinternal AND tgtype & 1 = 0) t
     WHERE NOT EXISTS (SELECT FROM pg_trigger o WHERE o.tgrelid = to_regclass(quote_ident(partition)) AND o.tgname = t.tgname)
  LOOP
    EXECUTE command;
  END LOOP;
END $$;

-- Makes a partition of a log, and moves the rows that belong there from the default partition into it. A row is moved as it is, without
-- the triggers of an insert. Without a lower instant it has all rows from before the upper one.
CREATE FUNCTION attach_log_partition(log text, partition text, lower timestamptz, upper timestamptz) RETURNS void
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  rest CONSTANT text := log || '_default';
  belongs CONSTANT text := format('%I >= coalesce($1, ''-infinity'') AND %1$I < $2', log_partition_column(log));
  misplaced boolean;
BEGIN
  EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING DEFAULTS INCLUDING STORAGE INCLUDING COMPRESSION)', partition, log);
  EXECUTE format('SELECT EXISTS (SELECT FROM %I WHERE %s)', rest, belongs) INTO misplaced USING lower, upper;
  IF misplaced THEN
    -- The locks of the attachment below, in its order.
    EXECUTE format('LOCK TABLE ONLY %I IN SHARE UPDATE EXCLUSIVE MODE', log);
    EXECUTE format('LOCK TABLE %I IN ACCESS EXCLUSIVE MODE', rest);
    EXECUTE format('INSERT INTO %I SELECT * FROM %I WHERE %s', partition, rest, belongs) USING lower, upper;
    EXECUTE format('ALTER TABLE %I DISABLE TRIGGER USER', rest);
    EXECUTE format('DELETE FROM %I WHERE %s', rest, belongs) USING lower, upper;
    EXECUTE format('ALTER TABLE %I ENABLE TRIGGER USER', rest);
  END IF;
  EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%s) TO (%L)', log, partition, coalesce(quote_literal(lower), 'MINVALUE'), upper);
  PERFORM guard_log_partition(log, partition);
END $$;

-- Makes the partition of one month of a log. Returns its name; null where the month has one.
CREATE FUNCTION add_log_partition(log text, month timestamptz) RETURNS text LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  made CONSTANT text := format('%s_%s', log, to_char(month AT TIME ZONE 'UTC', 'YYYY_MM'));
BEGIN
  IF EXISTS (SELECT FROM log_partitions() p WHERE p.log = add_log_partition.log AND coalesce(p.lower, '-infinity') <= month AND p.upper > month)
  THEN
    RETURN NULL;
  END IF;
  PERFORM attach_log_partition(log, made, month, ((month AT TIME ZONE 'UTC') + interval '1 month') AT TIME ZONE 'UTC');
  RETURN made;
END $$;

-- Makes the partitions that the logs lack: of this month and the next three, and of past months, from 2000 on, of which the default
-- partition has rows. It is called by each process again and again, waits for a lock on a table for half a second at most and fails then:
-- until it is called again, rows go into the default partition. Returns the names of those that it made.
CREATE FUNCTION make_log_partitions() RETURNS text[]
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT SET lock_timeout = '500ms' AS $$
DECLARE
  this_month CONSTANT timestamptz := date_trunc('month', now(), 'UTC');
  divided text;
  months timestamptz[];
  month timestamptz;
  made text[] := '{}';
BEGIN
  FOR divided IN SELECT DISTINCT p.log FROM log_partitions() p ORDER BY 1 LOOP
    EXECUTE format($q$
      SELECT array_agg(wanted ORDER BY wanted) FROM (
        SELECT ($1 AT TIME ZONE 'UTC' + n * interval '1 month') AT TIME ZONE 'UTC' AS wanted FROM generate_series(0, 3) n
         UNION
        SELECT date_trunc('month', %I, 'UTC') FROM %I WHERE %1$I >= '2000-01-01Z' AND %1$I < $1) months
       WHERE NOT EXISTS (SELECT FROM log_partitions() p WHERE p.log = $2 AND coalesce(p.lower, '-infinity') <= wanted AND p.upper > wanted)
    $q$, log_partition_column(divided), divided || '_default') INTO months USING this_month, divided;
    FOREACH month IN ARRAY coalesce(months, '{}') LOOP
      -- Another process makes them already. The value is arbitrary.
      IF NOT pg_try_advisory_xact_lock(7410271) THEN
        RETURN made;
      END IF;
      made := array_remove(made || add_log_partition(divided, month), NULL);
    END LOOP;
  END LOOP;
  RETURN made;
END $$;

-- Drops a partition of a log whose rows are all from before an instant. Returns false, and drops nothing, while a backup is under way:
-- it could not read any more what was there when it began (src/backup/snapshot.ts has the same key). Waits for a lock for half a second
-- at most and fails then.
CREATE FUNCTION drop_log_partition(log text, partition text, before timestamptz) RETURNS boolean
LANGUAGE plpgsql SET search_path FROM CURRENT SET lock_timeout = '500ms' AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM log_partitions() p
                  WHERE p.log = drop_log_partition.log AND p.name = partition AND p.upper <= before AND p.upper <= now()) THEN
    RAISE EXCEPTION '% has no partition % whose rows are all from before %', log, partition, before USING ERRCODE = 'invalid_parameter_value';
  END IF;
  IF NOT pg_try_advisory_xact_lock(7410262) THEN
    RETURN false;
  END IF;
  EXECUTE format('DROP TABLE %I', partition);
  RETURN true;
END $$;

-- Drops the partitions of events that are empty, and end a week ago or earlier: events are deleted by age. Returns their names.
CREATE FUNCTION drop_empty_event_partitions() RETURNS text[]
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT SET lock_timeout = '500ms' AS $$
DECLARE
  before CONSTANT timestamptz := now() - interval '7 days';
  partition text;
  used boolean;
  dropped text[] := '{}';
BEGIN
  FOR partition IN SELECT p.name FROM log_partitions() p WHERE p.log = 'event' AND p.upper <= before ORDER BY p.upper LOOP
    EXECUTE format('SELECT EXISTS (SELECT FROM %I)', partition) INTO used;
    CONTINUE WHEN used;
    -- Whoever writes there has it in use until the end of the transaction; then it is looked at again.
    LOCK TABLE ONLY event IN ACCESS EXCLUSIVE MODE;
    EXECUTE format('LOCK TABLE %I IN ACCESS EXCLUSIVE MODE', partition);
    EXECUTE format('SELECT EXISTS (SELECT FROM %I)', partition) INTO used;
    CONTINUE WHEN used;
    EXIT WHEN NOT drop_log_partition('event', partition, before);
    dropped := dropped || partition;
  END LOOP;
  RETURN dropped;
END $$;

-- Rows of the logs whose month has no partition.
CREATE FUNCTION log_rows_without_partition() RETURNS TABLE (log text, strays bigint)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
  FOR log IN SELECT DISTINCT p.log FROM log_partitions() p ORDER BY 1 LOOP
    EXECUTE format('SELECT count(*) FROM %I', log || '_default') INTO strays;
    RETURN NEXT;
  END LOOP;
END $$;

-- Divides a log: its table becomes the first partition of a new one of the same name, and nothing is copied. An empty table is dropped.
-- It is read and written by its name, as before.
CREATE FUNCTION divide_log(log text, divided_by text) RETURNS void LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  old CONSTANT regclass := to_regclass(quote_ident(log));
  beyond timestamptz;
  first text;
  used boolean;
  indexes text[];
  triggers text[];
  grants text[];
  command text;
BEGIN
  EXECUTE format('LOCK TABLE %I IN ACCESS EXCLUSIVE MODE', log);
  SELECT substring(pg_get_constraintdef(oid) FROM $r$'([^']+)'$r$)::timestamptz INTO STRICT beyond
    FROM pg_constraint WHERE conrelid = old AND conname = log || '_first_partition' AND convalidated;
  first := format('%s_before_%s', log, to_char(beyond AT TIME ZONE 'UTC', 'YYYY_MM'));
  SELECT array_agg(pg_get_indexdef(indexrelid) ORDER BY indexrelid) INTO indexes FROM pg_index
   WHERE indrelid = old AND NOT indisprimary AND indexrelid <> to_regclass(quote_ident(log || '_partition_key'));
  SELECT array_agg(pg_get_triggerdef(oid) ORDER BY tgname) INTO triggers FROM pg_trigger WHERE tgrelid = old AND NOT tgisinternal;
  SELECT array_agg(format('GRANT %s ON TABLE %I TO %s', a.privilege_type, log, CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE a.grantee::regrole::text END))
    INTO grants FROM pg_class c, aclexplode(c.relacl) a WHERE c.oid = old AND a.grantee <> c.relowner;

  -- Names that the new table and its indexes have; the first partition has its row triggers from the new table.
  FOR command IN
    SELECT format('DROP TRIGGER %I ON %s', tgname, old) FROM pg_trigger WHERE tgrelid = old AND NOT tgisinternal AND tgtype & 1 = 1
     UNION ALL
    SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', old, conname) FROM pg_constraint WHERE conrelid = old AND contype = 'p'
  LOOP
    EXECUTE command;
  END LOOP;
  FOR command IN
    SELECT format('ALTER INDEX %s RENAME TO %I', indexrelid::regclass, left(first || substr(c.relname, length(log) + 1), 63))
      FROM pg_index JOIN pg_class c ON c.oid = indexrelid WHERE indrelid = old
  LOOP
    EXECUTE command;
  END LOOP;
  EXECUTE format('ALTER TABLE %I RENAME TO %I', log, first);
  EXECUTE format('ALTER TABLE %I ADD CONSTRAINT %I PRIMARY KEY USING INDEX %I', first, first || '_pkey', first || '_partition_key');

  EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING DEFAULTS INCLUDING STORAGE INCLUDING COMPRESSION) PARTITION BY RANGE (%I)', log, first, divided_by);
  EXECUTE format('ALTER TABLE %I ADD CONSTRAINT %I PRIMARY KEY (organization_id, transaction_id, id, %I)', log, log || '_pkey', divided_by);
  EXECUTE format('ALTER SEQUENCE %I OWNED BY %I.id', log || '_id_seq', log);
  FOREACH command IN ARRAY indexes || triggers || coalesce(grants, '{}') LOOP
    EXECUTE command;
  END LOOP;
  EXECUTE format('SELECT EXISTS (SELECT FROM %I)', first) INTO used;
  IF used THEN
    EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (MINVALUE) TO (%L)', log, first, beyond);
    EXECUTE format('ALTER TABLE %I DROP CONSTRAINT %I', first, log || '_first_partition');
    PERFORM guard_log_partition(log, first);
  ELSE
    EXECUTE format('DROP TABLE %I', first);
  END IF;
  EXECUTE format('CREATE TABLE %I PARTITION OF %I DEFAULT', log || '_default', log);
  PERFORM guard_log_partition(log, log || '_default');
END $$;

-- The role of the server calls those that run with the rights of the owner.
REVOKE EXECUTE ON FUNCTION guard_log_partition(text, text), attach_log_partition(text, text, timestamptz, timestamptz),
  add_log_partition(text, timestamptz), drop_log_partition(text, text, timestamptz), divide_log(text, text) FROM PUBLIC;
