-- One short transaction: no row is copied. The view is made again, for it reads the table and not its name.
DO $$
DECLARE
  grants text[];
  command text;
BEGIN
  LOCK TABLE "audit_entry" IN ACCESS EXCLUSIVE MODE;
  SELECT array_agg(format('GRANT %s ON TABLE "audit_record" TO %s', a.privilege_type, CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE a.grantee::regrole::text END))
    INTO grants FROM pg_class c, aclexplode(c.relacl) a WHERE c.oid = to_regclass('audit_record') AND a.grantee <> c.relowner;
  DROP VIEW "audit_record";
  PERFORM divide_log('audit_entry', 'at');
  CREATE VIEW "audit_record" WITH (security_invoker = true) AS
    SELECT e.organization_id, e.id, e.transaction_id, e.at, e.actor, e.action, e.resource,
           CASE WHEN e.record_id IS NULL THEN e.resource_ids ELSE coalesce(e.resource_ids, '{}') || e.record_id END AS resource_ids,
           e.patient_ids,
           e.operation || CASE WHEN e.operation_id IS NULL THEN '' ELSE coalesce(o.name, '?' || e.operation_id) END AS operation,
           CASE WHEN e.request_uuid IS NULL THEN e.request_id ELSE concat(e.request_id, e.request_uuid) END AS request_id,
           e.address, e.detail
      FROM audit_entry e LEFT JOIN audit_operation o ON o.id = e.operation_id;
  FOREACH command IN ARRAY coalesce(grants, '{}') LOOP
    EXECUTE command;
  END LOOP;
END $$;
SELECT make_log_partitions();
