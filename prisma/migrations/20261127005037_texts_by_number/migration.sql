-- The texts of a conversation, by the number of the other side, in the order in which they were written.
CREATE INDEX CONCURRENTLY IF NOT EXISTS sms_message_conversation_idx ON sms_message (
  organization_id, (CASE WHEN direction = 'inbound' THEN from_number ELSE to_number END), queued_at, id);
