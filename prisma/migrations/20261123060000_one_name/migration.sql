-- A patient with one name is found by it, whichever field has it and whichever is searched: the folded columns, from which the name
-- keys are made, both have it.
SELECT renew_patient_name_keys(organization_id, id) FROM patient WHERE (first_name IS NULL) <> (last_name IS NULL);
