/** Columns that differ between two records that were written in the same way. */
const OWN = `ARRAY['id', 'patient_id', 'local_patient_id', 'appointment_id', 'created_at', 'updated_at', 'created_by_user_id', 'confirmed_at',
  'sms_message_id', 'check_in_id', 'carrier_id', 'from_number', 'to_number', 'queued_at', 'received_at', 'device_id', 'measured_at', 'measured_on',
  'answered_at', 'link_hash', 'sent_at', 'expires_at', 'rescheduled_at']`;

const selectRow = (of: string) => `to_jsonb(${of}) - ${OWN}`;
const isNew = (instant: string) => `${instant} > now() - interval '1 minute'`;

/** The patient with registrations and name keys, and whether the row was just written. */
export const PATIENT_ROWS = `
  SELECT to_jsonb(p) - ARRAY['id', 'created_at', 'updated_at'] AS patient, ${isNew('p.updated_at')} AS written_now,
         (SELECT json_agg(${selectRow('r')} || jsonb_build_object('own_id', r.local_patient_id = p.id) ORDER BY r.office_id)
            FROM patient_registration r WHERE r.organization_id = p.organization_id AND r.patient_id = p.id) AS registrations,
         (SELECT json_agg(${selectRow('k')} ORDER BY k.ordinal)
            FROM patient_name_key k WHERE k.organization_id = p.organization_id AND k.patient_id = p.id) AS name_keys
    FROM patient p WHERE p.id = $1`;

/** The appointment `a` with its participants. */
const APPOINTMENT = `${selectRow('a')} AS appointment, ${isNew('a.updated_at')} AS written_now, ${isNew('a.rescheduled_at')} AS moved_now,
         (SELECT json_agg(${selectRow('u')} ORDER BY u.user_id)
            FROM user_appointment u WHERE u.organization_id = a.organization_id AND u.appointment_id = a.id) AS users`;

/** An appointment of the large practice, with its patient. */
export const APPOINTMENT_ROWS = `SELECT ${APPOINTMENT}, a.patient_id FROM appointment a WHERE a.organization_id = 1 AND a.id = $1`;

/** An appointment of the practice that texts, with the texts about it, what they name, and their jobs. */
export const APPOINTMENT_TEXT_ROWS = `
  SELECT ${APPOINTMENT},
         (SELECT json_agg(${selectRow('m')} || jsonb_build_object('names', (
                   SELECT json_agg(${selectRow('v')} || jsonb_build_object('same_patient', v.patient_id = a.patient_id))
                     FROM text_appointment v WHERE v.organization_id = m.organization_id AND v.sms_message_id = m.id),
                   'job', (SELECT to_jsonb(j) - ARRAY['id', 'data', 'created_on', 'start_after', 'keep_until']
                             FROM queue.job j WHERE j.name = 'send-text' AND (j.data->>'id')::bigint = m.id)) ORDER BY m.direction, m.is_reply)
            FROM sms_message m WHERE m.organization_id = a.organization_id AND m.appointment_id = a.id) AS texts
    FROM appointment a WHERE a.organization_id = 2 AND a.id = $1`;

/** A check-in with the readings out of its answers, by its patient. */
export const CHECK_IN_ROWS = `
  SELECT ${selectRow('c')} AS check_in, ${isNew('c.answered_at')} AS written_now,
         (SELECT json_agg(${selectRow('r')} ORDER BY r.item_id)
            FROM reading r WHERE r.organization_id = c.organization_id AND r.check_in_id = c.id) AS readings
    FROM check_in c WHERE c.organization_id = 2 AND c.patient_id = $1`;

/** A reading with its device, and the number of readings that came with it. */
export const READING_ROWS = `
  SELECT ${selectRow('r')} AS reading, r.measured_on = (r.measured_at AT TIME ZONE o.time_zone)::date AS right_day, ${isNew('r.received_at')} AS written_now,
         (SELECT ${selectRow('d')} - 'identifier' FROM monitoring_device d WHERE d.organization_id = r.organization_id AND d.id = r.device_id) AS device,
         (SELECT count(*) FROM reading s WHERE s.organization_id = r.organization_id AND s.received_at = r.received_at) AS together
    FROM reading r JOIN organization o ON o.id = r.organization_id WHERE r.organization_id = 2 AND r.id = $1`;
