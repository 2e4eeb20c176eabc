-- The wording of a template in further languages, and the language in which the server wrote a text.
ALTER TABLE "sms_template" ADD COLUMN     "language" TEXT NOT NULL DEFAULT 'en';

ALTER TABLE "sms_message" ADD COLUMN     "language" TEXT;

CREATE TABLE "sms_template_variant" (
    "organization_id" INTEGER NOT NULL,
    "template_id" INTEGER NOT NULL,
    "language" TEXT NOT NULL,
    "body" TEXT NOT NULL,

    CONSTRAINT "sms_template_variant_pkey" PRIMARY KEY ("organization_id","template_id","language")
);

ALTER TABLE "sms_template_variant" ADD CONSTRAINT "sms_template_variant_organization_id_template_id_fkey" FOREIGN KEY ("organization_id", "template_id") REFERENCES "sms_template"("organization_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;
ALTER TABLE "sms_template_variant" ADD CONSTRAINT "sms_template_variant_organization_fkey" FOREIGN KEY (organization_id) REFERENCES organization (id);

-- Templates were written in the language of their practice.
UPDATE sms_template t
   SET language = CASE code WHEN 'eng' THEN 'en' WHEN 'spa' THEN 'es' ELSE code END
  FROM (SELECT id, lower(split_part(replace(trim(language_id), '_', '-'), '-', 1)) AS code FROM organization) o
 WHERE o.id = t.organization_id AND code ~ '^[a-z]{2,3}$' AND code <> 'en';

-- A category of which the server sends texts by itself has one spelling. Where several were active under several spellings, the one
-- that was changed last stays active.
CREATE TEMPORARY TABLE spelled ON COMMIT DROP AS
  SELECT t.organization_id, t.id, c.name, t.active AND t.deleted_at IS NULL AS active, t.updated_at
    FROM sms_template t
    JOIN unnest(ARRAY['appointment', 'telehealth', 'check-in', 'external-message', 'external-message-code', 'late']) AS c (name)
      ON translate(t.category, ' _-', '') = translate(c.name, '-', '');
UPDATE sms_template t SET active = false
  FROM (SELECT organization_id, id, row_number() OVER (PARTITION BY organization_id, name ORDER BY updated_at DESC, id DESC) AS place
          FROM spelled WHERE active) s
 WHERE t.organization_id = s.organization_id AND t.id = s.id AND s.place > 1;
UPDATE sms_template t SET category = s.name FROM spelled s
 WHERE t.organization_id = s.organization_id AND t.id = s.id AND t.category <> s.name;
