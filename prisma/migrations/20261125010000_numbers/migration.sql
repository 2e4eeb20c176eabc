-- A released number stays the practice's for a day, until releases_at. Numbers whose release began before have released_at already, and
-- are returned as they would have been.
ALTER TABLE "phone_number" ADD COLUMN     "releases_at" TIMESTAMPTZ(3);

-- Calls and voice messages stay with the call group that they came to, whatever becomes of the number. Of the rows of before, only
-- the group is known that the number has now.
ALTER TABLE "incoming_call" ADD COLUMN     "chat_id" INTEGER;
ALTER TABLE "voice_pager_message" ADD COLUMN     "chat_id" INTEGER;
UPDATE incoming_call c SET chat_id = n.chat_id
  FROM phone_number n WHERE n.organization_id = c.organization_id AND n.id = c.phone_number_id AND n.chat_id IS NOT NULL;
UPDATE voice_pager_message m SET chat_id = n.chat_id
  FROM phone_number n WHERE n.organization_id = m.organization_id AND n.id = m.phone_number_id AND n.chat_id IS NOT NULL;

-- CreateIndex
CREATE INDEX "incoming_call_organization_id_chat_id_idx" ON "incoming_call"("organization_id", "chat_id");

-- CreateIndex
CREATE INDEX "voice_pager_message_organization_id_chat_id_received_at_idx" ON "voice_pager_message"("organization_id", "chat_id", "received_at");

-- AddForeignKey
ALTER TABLE "incoming_call" ADD CONSTRAINT "incoming_call_organization_id_chat_id_fkey" FOREIGN KEY ("organization_id", "chat_id") REFERENCES "chat"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "voice_pager_message" ADD CONSTRAINT "voice_pager_message_organization_id_chat_id_fkey" FOREIGN KEY ("organization_id", "chat_id") REFERENCES "chat"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;
