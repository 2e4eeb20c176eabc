-- Each user who leads a session has links of their own, and a new link does not end the others.
-- CreateTable
CREATE TABLE "session_host_link" (
    "organization_id" INTEGER NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "video_session_id" BIGINT NOT NULL,
    "user_id" INTEGER NOT NULL,
    "link_hash" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "withdrawn_at" TIMESTAMPTZ(3),

    CONSTRAINT "session_host_link_pkey" PRIMARY KEY ("organization_id","id")
);

-- Links that stand were the host's.
INSERT INTO session_host_link (organization_id, video_session_id, user_id, link_hash, created_at)
SELECT organization_id, id, host_user_id, host_link_hash, created_at FROM video_session ORDER BY organization_id, id;

-- CreateIndex
CREATE INDEX "session_host_link_organization_id_video_session_id_idx" ON "session_host_link"("organization_id", "video_session_id");

-- CreateIndex
CREATE INDEX "session_host_link_organization_id_user_id_idx" ON "session_host_link"("organization_id", "user_id");

-- CreateIndex
CREATE UNIQUE INDEX "session_host_link_organization_id_link_hash_key" ON "session_host_link"("organization_id", "link_hash");

-- AddForeignKey
ALTER TABLE "session_host_link" ADD CONSTRAINT "session_host_link_organization_id_video_session_id_fkey" FOREIGN KEY ("organization_id", "video_session_id") REFERENCES "video_session"("organization_id", "id") ON DELETE CASCADE ON UPDATE NO ACTION;

-- AddForeignKey
ALTER TABLE "session_host_link" ADD CONSTRAINT "session_host_link_organization_id_user_id_fkey" FOREIGN KEY ("organization_id", "user_id") REFERENCES "user"("organization_id", "id") ON DELETE RESTRICT ON UPDATE NO ACTION;

ALTER TABLE "session_host_link" ADD CONSTRAINT "session_host_link_organization_fkey" FOREIGN KEY (organization_id) REFERENCES organization (id);

-- DropIndex
DROP INDEX "video_session_organization_id_host_link_hash_key";

-- AlterTable
ALTER TABLE "video_session" DROP COLUMN "host_link_hash";

-- When a session took place: from its start, or, where nobody has joined it, from its creation. Searches filter by it.
CREATE INDEX video_session_took_place_idx ON video_session (organization_id, coalesce(started_at, created_at), id);
-- The newest start first, and sessions that nobody has joined last.
CREATE INDEX video_session_started_last_idx ON video_session (organization_id, started_at DESC NULLS LAST, id DESC);

-- The links of an appointment live until two hours after its end. They follow it when it is moved, and close when it is cancelled.
-- While people are in the room its links are not cut short, so that whoever reloads the page comes back. Whichever API or command
-- changes an appointment, its sessions and invites follow in the same transaction.
CREATE FUNCTION appointment_links_follow() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  closing timestamptz := CASE WHEN NEW.status = 'cancelled' THEN now() ELSE NEW.ends_at + interval '2 hours' END;
BEGIN
  UPDATE video_session s
     SET expires_at = CASE WHEN NEW.status = 'cancelled' THEN least(s.expires_at, closing) ELSE closing END
   WHERE s.organization_id = NEW.organization_id AND s.appointment_id = NEW.id AND s.ended_at IS NULL AND closing IS NOT NULL
     AND (closing >= s.expires_at OR NOT EXISTS (
       SELECT FROM session_participant p WHERE p.organization_id = s.organization_id AND p.video_session_id = s.id
          AND p.joined_at IS NOT NULL AND p.left_at IS NULL));
  UPDATE session_invite i SET expires_at = s.expires_at
    FROM video_session s
   WHERE s.organization_id = NEW.organization_id AND s.appointment_id = NEW.id AND s.ended_at IS NULL
     AND i.organization_id = s.organization_id AND i.video_session_id = s.id AND i.expires_at <> s.expires_at;
  UPDATE session_invite i
     SET expires_at = CASE WHEN NEW.status = 'cancelled' THEN least(i.expires_at, closing) ELSE closing END
   WHERE i.organization_id = NEW.organization_id AND i.appointment_id = NEW.id AND i.waiting_room_id IS NOT NULL AND closing IS NOT NULL
     AND (closing >= i.expires_at OR NOT EXISTS (
       SELECT FROM session_participant p WHERE p.organization_id = i.organization_id AND p.invite_id = i.id
          AND p.joined_at IS NOT NULL AND p.left_at IS NULL));
  -- The link is sent again before the new start.
  DELETE FROM appointment_reminder r
   WHERE r.organization_id = NEW.organization_id AND r.appointment_id = NEW.id AND r.kind = 'five_minutes'
     AND OLD.starts_at IS DISTINCT FROM NEW.starts_at AND NEW.starts_at > now() + interval '5 minutes';
  RETURN NULL;
END $$;
CREATE TRIGGER appointment_links_follow AFTER UPDATE OF starts_at, ends_at, status ON appointment
  FOR EACH ROW WHEN (OLD.starts_at IS DISTINCT FROM NEW.starts_at OR OLD.ends_at IS DISTINCT FROM NEW.ends_at
                     OR (OLD.status <> NEW.status AND 'cancelled' IN (OLD.status, NEW.status)))
  EXECUTE FUNCTION appointment_links_follow();

-- Links that are open beyond their appointment, or cancelled with it, since it was moved.
UPDATE video_session s SET expires_at = CASE WHEN a.status = 'cancelled' THEN now() ELSE a.ends_at + interval '2 hours' END
  FROM appointment a
 WHERE a.organization_id = s.organization_id AND a.id = s.appointment_id AND s.started_at IS NULL AND s.ended_at IS NULL AND s.expires_at > now()
   AND (a.status = 'cancelled' OR a.ends_at + interval '2 hours' <> s.expires_at);
UPDATE session_invite i SET expires_at = s.expires_at
  FROM video_session s
 WHERE s.organization_id = i.organization_id AND s.id = i.video_session_id AND s.appointment_id IS NOT NULL AND s.started_at IS NULL AND s.ended_at IS NULL
   AND i.expires_at > now() AND i.expires_at <> s.expires_at;
