-- A row for a chart that is being merged waits at its foreign key until the merge is done. It would stay behind then: the transaction runs again
-- instead, finds the chart merged, and goes on with the other. Its name comes after those of the keys, which are checked first.
CREATE FUNCTION refuse_merged_chart() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM patient p WHERE p.organization_id = NEW.organization_id AND p.id = NEW.patient_id AND p.merged_into_id IS NOT NULL) THEN
    RAISE EXCEPTION 'chart % was merged into another', NEW.patient_id USING ERRCODE = 'serialization_failure';
  END IF;
  RETURN NULL;
END $$;

-- The tables whose rows a merge moves (patient-rights/merging/merged-tables.ts), but for visits, whose writers hold the chart.
DO $$
DECLARE
  moving text;
BEGIN
  FOREACH moving IN ARRAY ARRAY[
    'chart_image', 'check_in', 'check_in_review', 'device_assignment', 'external_message', 'guardianship', 'inbox_item', 'incoming_call',
    'insurance', 'legal_hold', 'mail_message', 'monitoring_alert', 'patient_custom_field', 'patient_registration', 'portal_account',
    'privacy_item', 'privacy_restriction', 'program_patient', 'reading', 'recall', 'scheduled_check_in_recipient', 'session_image',
    'session_invite', 'session_participant', 'session_video', 'sms_message', 'telehealth_visit', 'tracked_condition', 'visit_message',
    'voice_pager_message', 'waiting_room_visit'
  ] LOOP
    EXECUTE format('CREATE TRIGGER refuse_merged_chart AFTER INSERT ON %I FOR EACH ROW WHEN (NEW.patient_id IS NOT NULL) EXECUTE FUNCTION refuse_merged_chart()', moving);
  END LOOP;
END $$;
