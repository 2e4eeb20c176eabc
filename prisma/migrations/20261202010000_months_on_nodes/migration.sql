-- Functions that make and drop months of the logs, as they also run where the rows are on several nodes: an engine that distributes tables
-- reads no rows of several parts without a column. What they do stays as it was.

CREATE OR REPLACE FUNCTION attach_log_partition(log text, partition text, lower timestamptz, upper timestamptz) RETURNS void
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  rest CONSTANT text := log || '_default';
  belongs CONSTANT text := format('%I >= coalesce($1, ''-infinity'') AND %1$I < $2', log_partition_column(log));
  misplaced boolean;
BEGIN
  EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING DEFAULTS INCLUDING STORAGE INCLUDING COMPRESSION)', partition, log);
  EXECUTE format('SELECT EXISTS (SELECT 1 FROM %I WHERE %s)', rest, belongs) INTO misplaced USING lower, upper;
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

CREATE OR REPLACE FUNCTION drop_empty_event_partitions() RETURNS text[]
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT SET lock_timeout = '500ms' AS $$
DECLARE
  before CONSTANT timestamptz := now() - interval '7 days';
  partition text;
  used boolean;
  dropped text[] := '{}';
BEGIN
  FOR partition IN SELECT p.name FROM log_partitions() p WHERE p.log = 'event' AND p.upper <= before ORDER BY p.upper LOOP
    EXECUTE format('SELECT EXISTS (SELECT 1 FROM %I)', partition) INTO used;
    CONTINUE WHEN used;
    -- Whoever writes there has it in use until the end of the transaction; then it is looked at again.
    LOCK TABLE ONLY event IN ACCESS EXCLUSIVE MODE;
    EXECUTE format('LOCK TABLE %I IN ACCESS EXCLUSIVE MODE', partition);
    EXECUTE format('SELECT EXISTS (SELECT 1 FROM %I)', partition) INTO used;
    CONTINUE WHEN used;
    EXIT WHEN NOT drop_log_partition('event', partition, before);
    dropped := dropped || partition;
  END LOOP;
  RETURN dropped;
END $$;

-- Practice after practice, since no recursion goes over several nodes.
CREATE OR REPLACE FUNCTION drop_archived_audit(before timestamptz) RETURNS text[]
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT SET lock_timeout = '500ms' AS $$
DECLARE
  partition text;
  beyond timestamptz;
  practice int;
  last_transaction bigint;
  last_id bigint;
  dropped text[] := '{}';
BEGIN
  FOR partition, beyond IN SELECT p.name, p.upper FROM log_partitions() p WHERE p.log = 'audit_entry' AND p.upper <= before AND p.upper <= now() ORDER BY p.upper LOOP
    -- Nobody writes there until it is gone: a late row would not be seen.
    EXECUTE format('LOCK TABLE %I IN SHARE MODE', partition);
    EXECUTE format('SELECT min(organization_id) FROM %I', partition) INTO practice;
    WHILE practice IS NOT NULL LOOP
      EXECUTE format('SELECT transaction_id, id FROM %I WHERE organization_id = $1 ORDER BY transaction_id DESC, id DESC LIMIT 1', partition)
         INTO last_transaction, last_id USING practice;
      IF NOT EXISTS (SELECT 1 FROM audit_checkpoint c
                      WHERE c.organization_id = practice AND (c.transaction_id, c.audit_entry_id) >= (last_transaction, last_id)) THEN
        RAISE EXCEPTION 'entry % of organization % is not in the archive', last_id, practice USING ERRCODE = 'object_not_in_prerequisite_state';
      END IF;
      EXECUTE format('SELECT min(organization_id) FROM %I WHERE organization_id > $1', partition) INTO practice USING practice;
    END LOOP;
    EXIT WHEN NOT drop_log_partition('audit_entry', partition, before);
    dropped := dropped || partition;
    INSERT INTO audit_table_start (at) VALUES (beyond)
      ON CONFLICT (id) DO UPDATE SET at = greatest(audit_table_start.at, excluded.at);
  END LOOP;
  RETURN dropped;
END $$;
