-- Control characters are no part of a text of one line: requests lose them, and here the rows that stand. They made charts that no
-- search found. The operator is told how many rows; charts leave events and audit rows.

-- The one form of a text of one line, as oneLine of src/domain/values/text-form.ts makes it.
CREATE OR REPLACE FUNCTION one_line(value text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN value ~ '^([!-~]+( [!-~]+)*)?$' THEN value
              ELSE btrim(regexp_replace(
                     normalize(regexp_replace(value,
                       E'[\u0001-\u0008\u000e-\u001f\u007f-\u0084\u0086-\u009f\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]', '', 'g'), NFC),
                     E'[\t\n\x0b\f\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+', ' ', 'g')) END
$$;

-- The SQL of a column's mended value. A required text that would become empty stays.
CREATE FUNCTION mended_value(mended text, name text) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT CASE WHEN a.attnotnull THEN format('coalesce(nullif(one_line(%I), ''''), %1$I)', name) ELSE format('nullif(one_line(%I), '''')', name) END
    FROM pg_attribute a
   WHERE a.attrelid = quote_ident(mended)::regclass AND a.attname = name
$$;

-- Mends the rows of a table, the older ones first. A row whose mended value another row has already stays as it is.
CREATE FUNCTION mend_texts(mended text, VARIADIC columns text[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  differs text := (SELECT string_agg(format('%I IS DISTINCT FROM %s', name, mended_value(mended, name)), ' OR ') FROM unnest(columns) name);
  wanted text := (SELECT string_agg(format('%I = %s', name, mended_value(mended, name)), ', ') FROM unnest(columns) name);
  -- Names of the domain: first_name is firstName.
  named text := (SELECT string_agg(format('CASE WHEN old.%I IS DISTINCT FROM new.%1$I THEN %L END', name,
                          lower(left(name, 1)) || substr(replace(initcap(replace(name, '_', ' ')), ' ', ''), 2)), ', ') FROM unnest(columns) name);
  place tid;
  done int := 0;
  kept int := 0;
BEGIN
  FOR place IN EXECUTE format('SELECT ctid FROM %I WHERE %s ORDER BY id', mended, differs) LOOP
    BEGIN
      IF mended = 'patient' THEN
        EXECUTE format(
          'WITH chart AS (UPDATE patient SET %s WHERE ctid = $1 RETURNING new.organization_id, new.id, array_remove(ARRAY[%s], NULL) AS changed)
           INSERT INTO event (organization_id, name, subject_type, subject_id, changed, actor)
           SELECT organization_id, ''patient.updated'', ''patient'', id, changed, ''operator'' FROM chart', wanted, named) USING place;
      ELSE
        EXECUTE format('UPDATE %I SET %s WHERE ctid = $1', mended, wanted) USING place;
      END IF;
      done := done + 1;
    EXCEPTION WHEN unique_violation THEN
      kept := kept + 1;
    END;
  END LOOP;
  IF done > 0 THEN
    RAISE NOTICE '%: texts of % lost control characters.', replace(mended, '_', ' '), CASE done WHEN 1 THEN '1 row' ELSE done || ' rows' END;
  END IF;
  IF kept > 0 THEN
    RAISE NOTICE '%: % stayed, since another row has that % in one form already%', replace(mended, '_', ' '),
      CASE kept WHEN 1 THEN '1 row' ELSE kept || ' rows' END, replace(array_to_string(columns, ', '), '_', ' '),
      CASE mended WHEN 'patient' THEN '; "npm run admin -- patients check" lists them.' ELSE '.' END;
  END IF;
END $$;

SELECT mend_texts('organization', 'name', 'email', 'website', 'address1', 'address2', 'city', 'state', 'zip');
SELECT mend_texts('provider_group', 'name');
SELECT mend_texts('office', 'name', 'patient_department_name', 'address1', 'address2', 'city', 'state', 'zip', 'place_of_service_type_name');
SELECT mend_texts('location', 'name', 'address1', 'address2', 'city', 'state', 'zip');
SELECT mend_texts('waiting_room', 'name');
SELECT mend_texts('user', 'first_name', 'last_name', 'email');
SELECT mend_texts('provider', 'first_name', 'last_name', 'display_name', 'scheduling_name', 'username', 'specialty');
SELECT mend_texts('patient', 'first_name', 'middle_name', 'last_name', 'suffix', 'preferred_name', 'alt_first_name', 'preferred_pronouns',
  'sex', 'gender_identity_other', 'sexual_orientation_other', 'address1', 'address2', 'city', 'state', 'zip', 'email', 'last_email',
  'contact_name', 'next_of_kin_name', 'guardian_first_name', 'guardian_middle_name', 'guardian_last_name', 'guardian_suffix',
  'guarantor_first_name', 'guarantor_middle_name', 'guarantor_last_name', 'guarantor_suffix', 'guarantor_address1', 'guarantor_address2',
  'guarantor_city', 'guarantor_state', 'guarantor_zip', 'guarantor_email');
SELECT mend_texts('patient', 'medical_record_no');
SELECT mend_texts('employer', 'name', 'address', 'city', 'state', 'zip');
SELECT mend_texts('insurance', 'id_number', 'plan_name', 'type', 'irc_name', 'group_number', 'relationship_to_insured');
SELECT mend_texts('custom_field', 'name');
SELECT mend_texts('contact', 'first_name', 'last_name', 'email');
SELECT mend_texts('contact_tag', 'name');
SELECT mend_texts('chat', 'name');
SELECT mend_texts('sms_template', 'category', 'name');
SELECT mend_texts('survey_type', 'name');
SELECT mend_texts('scheduled_check_in', 'name');
SELECT mend_texts('external_message', 'receiver_first_name', 'receiver_last_name', 'subject');
SELECT mend_texts('program', 'name');
SELECT mend_texts('workflow_step', 'name');
SELECT mend_texts('item', 'name', 'unit');
SELECT mend_texts('appointment_type', 'name');
SELECT mend_texts('session_participant', 'display_name');
SELECT mend_texts('session_image', 'title');
SELECT mend_texts('session_video', 'title');
SELECT mend_texts('user_review_url', 'title');


-- The charts of a practice in audit rows of five hundred each.
INSERT INTO audit_entry (organization_id, actor, action, resource, resource_ids, operation, detail)
SELECT organization_id, 'operator', 'update', 'patient', array_agg(id ORDER BY id), 'migration control_characters', 'control characters taken away'
  FROM (SELECT organization_id, subject_id AS id, (row_number() OVER (PARTITION BY organization_id ORDER BY subject_id) - 1) / 500 AS part
          FROM event
         WHERE transaction_id = log_transaction() AND subject_type = 'patient'
         GROUP BY organization_id, subject_id) AS chart
 GROUP BY organization_id, part;

DROP FUNCTION mend_texts(text, text[]);
DROP FUNCTION mended_value(text, text);
