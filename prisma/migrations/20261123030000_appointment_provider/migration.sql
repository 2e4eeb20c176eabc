-- An appointment names the provider whose user takes part. Nothing kept the column before, so that it may be empty, or name a
-- provider who has handed the appointment over. Where nobody takes part, or the provider has no user, it stays as it is.
DO $$
DECLARE
  appointments bigint;
BEGIN
  WITH led AS (
    SELECT u.organization_id, u.appointment_id, min(v.id) FILTER (WHERE v.active) AS provider_id, array_agg(v.id) AS provider_ids
      FROM user_appointment u
      LEFT JOIN provider v ON v.organization_id = u.organization_id AND v.user_id = u.user_id
     GROUP BY 1, 2)
  UPDATE appointment a SET provider_id = led.provider_id
    FROM led
   WHERE led.organization_id = a.organization_id AND led.appointment_id = a.id AND a.provider_id IS DISTINCT FROM led.provider_id
     AND (a.provider_id IS NULL OR (a.provider_id <> ALL (array_remove(led.provider_ids, NULL)) AND EXISTS (
       SELECT FROM provider p WHERE p.organization_id = a.organization_id AND p.id = a.provider_id AND p.user_id IS NOT NULL)));
  GET DIAGNOSTICS appointments = ROW_COUNT;
  IF appointments > 0 THEN
    RAISE NOTICE 'appointment: % follow their participants to another provider.', appointments;
  END IF;

  -- Whether the patient was told by text, from the texts themselves. Appointments without any keep what an import said.
  UPDATE appointment a SET initial_sms_sent = told.sent
    FROM (SELECT m.organization_id, m.appointment_id, bool_or(m.state IN ('sent', 'delivered')) AS sent
            FROM sms_message m JOIN appointment b ON b.organization_id = m.organization_id AND b.id = m.appointment_id
           WHERE m.direction = 'outbound' AND m.patient_id = b.patient_id GROUP BY 1, 2) AS told
   WHERE told.organization_id = a.organization_id AND told.appointment_id = a.id AND a.initial_sms_sent IS DISTINCT FROM told.sent;
  GET DIAGNOSTICS appointments = ROW_COUNT;
  IF appointments > 0 THEN
    RAISE NOTICE 'appointment: % say now whether their patient was told by text.', appointments;
  END IF;
END $$;
