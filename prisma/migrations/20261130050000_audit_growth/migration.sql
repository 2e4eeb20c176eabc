-- A link seals several entries, each of which has a mark in it.
ALTER TABLE "audit_link" ADD COLUMN "marks" BYTEA;
DROP INDEX "audit_link_organization_id_audit_entry_id_key";

-- The sealer of the previous release reads rows without their operation and their request: its seals would not hold. It fails, and
-- that of this release seals what the servers of both have written.
CREATE FUNCTION refuse_older_seal() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'a newer release seals the audit' USING ERRCODE = 'object_not_in_prerequisite_state';
END $$;
CREATE TRIGGER audit_link_form BEFORE INSERT ON audit_link FOR EACH ROW WHEN (NEW.form < 3) EXECUTE FUNCTION refuse_older_seal();

CREATE TABLE "audit_operation" (
    "id" SERIAL NOT NULL,
    "name" TEXT NOT NULL,

    CONSTRAINT "audit_operation_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "audit_operation_name_key" ON "audit_operation"("name");
CREATE TRIGGER audit_operation_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_operation
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

-- Half of a row were texts that thousands of rows have: the operation becomes the number of its name, a request id in the form that
-- servers make becomes its sixteen bytes, and the id of a single record needs no list. Older rows stay as they are.
ALTER TABLE "audit_entry" ADD COLUMN "operation_id" INTEGER, ADD COLUMN "request_uuid" UUID, ADD COLUMN "record_id" BIGINT;

-- It may do what its owner may: the role of running servers gets its privileges on the new table when all migrations are done.
CREATE FUNCTION pack_audit_entry() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
DECLARE
  known int;
BEGIN
  IF NEW.operation_id IS NULL THEN
    SELECT id INTO known FROM audit_operation WHERE name = NEW.operation;
    IF known IS NULL THEN
      INSERT INTO audit_operation (name) VALUES (NEW.operation) ON CONFLICT DO NOTHING RETURNING id INTO known;
    END IF;
    IF known IS NOT NULL THEN
      NEW.operation_id := known;
      NEW.operation := '';
    END IF;
  END IF;
  IF NEW.request_uuid IS NULL AND NEW.request_id ~ '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$' THEN
    NEW.request_uuid := NEW.request_id::uuid;
    NEW.request_id := NULL;
  END IF;
  IF NEW.record_id IS NULL AND cardinality(NEW.resource_ids) = 1 AND NEW.resource_ids[1] IS NOT NULL THEN
    NEW.record_id := NEW.resource_ids[1];
    NEW.resource_ids := NULL;
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER audit_entry_packed BEFORE INSERT ON audit_entry FOR EACH ROW EXECUTE FUNCTION pack_audit_entry();

-- The rows as readers and seals have them. Both columns of an operation, of a request and of the records show: what is put beside
-- one is seen.
CREATE VIEW "audit_record" WITH (security_invoker = true) AS
  SELECT e.organization_id, e.id, e.transaction_id, e.at, e.actor, e.action, e.resource,
         CASE WHEN e.record_id IS NULL THEN e.resource_ids ELSE coalesce(e.resource_ids, '{}') || e.record_id END AS resource_ids,
         e.patient_ids,
         e.operation || CASE WHEN e.operation_id IS NULL THEN '' ELSE coalesce(o.name, '?' || e.operation_id) END AS operation,
         CASE WHEN e.request_uuid IS NULL THEN e.request_id ELSE concat(e.request_id, e.request_uuid) END AS request_id,
         e.address, e.detail
    FROM audit_entry e LEFT JOIN audit_operation o ON o.id = e.operation_id;
