-- AlterTable
ALTER TABLE "opt_out" ADD COLUMN     "note" TEXT,
ADD COLUMN     "user_id" INTEGER;

-- AlterTable
ALTER TABLE "patient" ADD COLUMN     "texts_stopped" BOOLEAN NOT NULL DEFAULT false;

-- CreateIndex
CREATE INDEX "opt_out_organization_id_user_id_idx" ON "opt_out"("organization_id", "user_id");

-- AddForeignKey
ALTER TABLE "opt_out" ADD CONSTRAINT "opt_out_organization_id_user_id_fkey" FOREIGN KEY ("organization_id", "user_id") REFERENCES "user"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- Whether the newest entry of the ledger of consent is a STOP. Values: organization, number.
CREATE FUNCTION number_stopped_texts(int, text) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT coalesce((SELECT o.opted_out FROM opt_out o WHERE o.organization_id = $1 AND o.number = $2
                    ORDER BY o.recorded_at DESC, o.id DESC LIMIT 1), false);
$$;

UPDATE patient p SET texts_stopped = true
 WHERE p.mobile_phone IS NOT NULL AND number_stopped_texts(p.organization_id, p.mobile_phone);

-- One of 64 advisory locks for a number: an import of many charts in one transaction holds no more than these.
CREATE FUNCTION consent_lock(number text) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
  SELECT 7410300::bigint + (hashtext($1) & 63);
$$;

-- A chart that gets a number takes over what the number said. It waits for a STOP of that number whose transaction still runs.
CREATE FUNCTION patient_takes_consent() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.mobile_phone IS NULL THEN
    NEW.texts_stopped := false;
  ELSE
    PERFORM pg_advisory_xact_lock_shared(consent_lock(NEW.mobile_phone));
    NEW.texts_stopped := number_stopped_texts(NEW.organization_id, NEW.mobile_phone);
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER patient_takes_consent BEFORE INSERT ON patient
  FOR EACH ROW WHEN (NEW.mobile_phone IS NOT NULL) EXECUTE FUNCTION patient_takes_consent();
CREATE TRIGGER patient_takes_consent_anew BEFORE UPDATE OF mobile_phone ON patient
  FOR EACH ROW WHEN (OLD.mobile_phone IS DISTINCT FROM NEW.mobile_phone) EXECUTE FUNCTION patient_takes_consent();

-- STOP and START are of the number: every chart that has it shows them.
CREATE FUNCTION consent_reaches_charts() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  stopped boolean;
BEGIN
  PERFORM pg_advisory_xact_lock(consent_lock(NEW.number));
  stopped := number_stopped_texts(NEW.organization_id, NEW.number);
  UPDATE patient p SET texts_stopped = stopped, updated_at = now()
   WHERE p.organization_id = NEW.organization_id AND p.mobile_phone = NEW.number AND p.texts_stopped <> stopped;
  RETURN NULL;
END $$;
CREATE TRIGGER consent_reaches_charts AFTER INSERT ON opt_out FOR EACH ROW EXECUTE FUNCTION consent_reaches_charts();
