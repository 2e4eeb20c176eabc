-- The simulated carrier and mailer keep bodies encrypted from now on. Links and one-time codes stand in plain text in those that they
-- have: they are forgotten, and the sandbox shows the messages of the practice itself in their place.
ALTER TABLE "carrier_text" ALTER COLUMN "body" DROP NOT NULL;
ALTER TABLE "local_mail" ALTER COLUMN "body" DROP NOT NULL;
UPDATE "carrier_text" SET "body" = NULL;
UPDATE "local_mail" SET "body" = NULL;

CREATE INDEX "carrier_text_received_at_idx" ON "carrier_text"("received_at");
