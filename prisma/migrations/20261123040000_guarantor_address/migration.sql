-- While the guarantor lives at the patient's address, that address is read from the chart itself: a stored copy would stay
-- behind when the patient moves. The flag decides over what stands: a copy beside it is the address of some earlier day.
DO $$
DECLARE
  charts bigint;
BEGIN
  UPDATE patient
     SET guarantor_address1 = NULL, guarantor_address2 = NULL, guarantor_city = NULL, guarantor_state = NULL, guarantor_zip = NULL,
         guarantor_country_code = NULL, guarantor_country_code_3166 = NULL
   WHERE guarantor_address_same_as_patient
     AND num_nonnulls(guarantor_address1, guarantor_address2, guarantor_city, guarantor_state, guarantor_zip,
                      guarantor_country_code, guarantor_country_code_3166) > 0;
  GET DIAGNOSTICS charts = ROW_COUNT;
  IF charts > 0 THEN
    RAISE NOTICE 'patient: % stored copies of a guarantor''s address that is the patient''s were removed.', charts;
  END IF;
END $$;

ALTER TABLE patient ADD CONSTRAINT patient_guarantor_address_check CHECK (
  guarantor_address_same_as_patient IS NOT TRUE
  OR num_nonnulls(guarantor_address1, guarantor_address2, guarantor_city, guarantor_state, guarantor_zip,
                  guarantor_country_code, guarantor_country_code_3166) = 0);
