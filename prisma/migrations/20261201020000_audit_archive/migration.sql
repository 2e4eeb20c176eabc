-- AlterTable
ALTER TABLE "retention_policy" ADD COLUMN     "audit_years" INTEGER NOT NULL DEFAULT 6;

-- CreateTable
CREATE TABLE "audit_checkpoint" (
    "organization_id" INTEGER NOT NULL,
    "position" BIGINT NOT NULL,
    "audit_entry_id" BIGINT NOT NULL,
    "transaction_id" BIGINT NOT NULL,
    "hash" BYTEA NOT NULL,
    "previous_position" BIGINT NOT NULL,
    "previous_hash" BYTEA NOT NULL,
    "segment" TEXT NOT NULL,
    "place" TEXT NOT NULL,
    "manifest" BYTEA NOT NULL,
    "first_at" TIMESTAMPTZ(3) NOT NULL,
    "last_at" TIMESTAMPTZ(3) NOT NULL,
    "cut_at" TIMESTAMPTZ(3) NOT NULL,
    "border" TEXT[],
    "sealed_under" TEXT[],
    "archived_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "key_id" TEXT NOT NULL,
    "mac" BYTEA NOT NULL,

    CONSTRAINT "audit_checkpoint_pkey" PRIMARY KEY ("organization_id","position")
);

-- CreateTable
CREATE TABLE "audit_table_start" (
    "id" BOOLEAN NOT NULL DEFAULT true,
    "at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "audit_table_start_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "audit_discard" (
    "organization_id" INTEGER NOT NULL,
    "position" BIGINT NOT NULL,
    "operator" TEXT NOT NULL,
    "discarded_at" TIMESTAMPTZ(3) NOT NULL,
    "key_id" TEXT NOT NULL,
    "mac" BYTEA NOT NULL,

    CONSTRAINT "audit_discard_pkey" PRIMARY KEY ("organization_id","position")
);

-- By hand.
ALTER TABLE "retention_policy" ADD CONSTRAINT "retention_policy_audit_years_check" CHECK (audit_years BETWEEN 6 AND 100);
ALTER TABLE "audit_checkpoint" ADD CONSTRAINT "audit_checkpoint_organization_fkey" FOREIGN KEY (organization_id) REFERENCES organization (id);
ALTER TABLE "audit_table_start" ADD CONSTRAINT "audit_table_start_one_row" CHECK ("id");
ALTER TABLE "audit_discard" ADD CONSTRAINT "audit_discard_organization_fkey" FOREIGN KEY (organization_id) REFERENCES organization (id);
ALTER TABLE "audit_discard" ADD CONSTRAINT "audit_discard_checkpoint_fkey"
  FOREIGN KEY (organization_id, position) REFERENCES audit_checkpoint (organization_id, position);

-- A checkpoint and the note that its segment is gone stay as they were written. A new master key may make their MAC anew.
CREATE FUNCTION refuse_checkpoint_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE' AND to_jsonb(NEW) - '{key_id,mac}'::text[] = to_jsonb(OLD) - '{key_id,mac}'::text[] THEN
    RETURN NEW;
  END IF;
  RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'object_not_in_prerequisite_state';
END $$;
CREATE TRIGGER audit_checkpoint_kept BEFORE UPDATE OR DELETE ON audit_checkpoint FOR EACH ROW EXECUTE FUNCTION refuse_checkpoint_change();
CREATE TRIGGER audit_discard_kept BEFORE UPDATE OR DELETE ON audit_discard FOR EACH ROW EXECUTE FUNCTION refuse_checkpoint_change();

-- Links go when a checkpoint has taken their place. The link of the newest checkpoint stays: the sealer goes on behind it.
DROP TRIGGER audit_link_append_only ON audit_link;
CREATE TRIGGER audit_link_append_only BEFORE UPDATE OR TRUNCATE ON audit_link FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE FUNCTION refuse_unarchived_link() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM audit_checkpoint c WHERE c.organization_id = OLD.organization_id AND c.position > OLD.position) THEN
    RAISE EXCEPTION 'link % of organization % is not in the archive', OLD.position, OLD.organization_id
      USING ERRCODE = 'object_not_in_prerequisite_state';
  END IF;
  RETURN OLD;
END $$;
CREATE TRIGGER audit_link_kept BEFORE DELETE ON audit_link FOR EACH ROW EXECUTE FUNCTION refuse_unarchived_link();

-- Deletes links of a practice that are before its newest checkpoint. The role of the server may delete no other.
CREATE FUNCTION delete_archived_links(practice int, most int) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  newest bigint;
  last bigint;
  deleted bigint;
BEGIN
  SELECT max(c.position) INTO newest FROM audit_checkpoint c WHERE c.organization_id = practice;
  SELECT max(l.position) INTO last FROM (
    SELECT position FROM audit_link WHERE organization_id = practice AND position < newest ORDER BY position LIMIT most
  ) l;
  DELETE FROM audit_link l WHERE l.organization_id = practice AND l.position <= last;
  GET DIAGNOSTICS deleted = ROW_COUNT;
  RETURN deleted;
END $$;

-- Drops the partitions of the audit whose rows are all from before an instant and up to the newest checkpoint of their practice. Refuses
-- where one is not, and drops nothing while a backup is under way. Waits for a lock for half a second at most and fails then. Returns
-- the names of those that it dropped.
CREATE FUNCTION drop_archived_audit(before timestamptz) RETURNS text[]
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT SET lock_timeout = '500ms' AS $$
DECLARE
  partition text;
  beyond timestamptz;
  uncovered record;
  dropped text[] := '{}';
BEGIN
  FOR partition, beyond IN SELECT p.name, p.upper FROM log_partitions() p WHERE p.log = 'audit_entry' AND p.upper <= before AND p.upper <= now() ORDER BY p.upper LOOP
    -- Nobody writes there until it is gone: a late row would not be seen.
    EXECUTE format('LOCK TABLE %I IN SHARE MODE', partition);
    EXECUTE format($q$
      WITH RECURSIVE practice (id) AS (
        (SELECT organization_id FROM %1$I ORDER BY organization_id LIMIT 1)
        UNION ALL
        SELECT (SELECT organization_id FROM %1$I WHERE organization_id > practice.id ORDER BY organization_id LIMIT 1) FROM practice WHERE practice.id IS NOT NULL
      )
      SELECT practice.id AS organization_id, last.id AS entry
        FROM practice CROSS JOIN LATERAL (
          SELECT e.transaction_id, e.id FROM %1$I e WHERE e.organization_id = practice.id ORDER BY e.transaction_id DESC, e.id DESC LIMIT 1) last
       WHERE NOT EXISTS (SELECT FROM audit_checkpoint c
                          WHERE c.organization_id = practice.id AND (c.transaction_id, c.audit_entry_id) >= (last.transaction_id, last.id))
       LIMIT 1
    $q$, partition) INTO uncovered;
    IF uncovered.organization_id IS NOT NULL THEN
      RAISE EXCEPTION 'entry % of organization % is not in the archive', uncovered.entry, uncovered.organization_id
        USING ERRCODE = 'object_not_in_prerequisite_state';
    END IF;
    EXIT WHEN NOT drop_log_partition('audit_entry', partition, before);
    dropped := dropped || partition;
    INSERT INTO audit_table_start (at) VALUES (beyond)
      ON CONFLICT (id) DO UPDATE SET at = greatest(audit_table_start.at, excluded.at);
  END LOOP;
  RETURN dropped;
END $$;
