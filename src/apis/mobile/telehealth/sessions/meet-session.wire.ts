import { z } from 'zod';
import type { OpenedSession } from '../../../../domain/telehealth/sessions/sessions.ts';
import { writeInstant } from '../../../../domain/values/time/time.ts';
import { instant } from '../../../../http/wire/wire-types.ts';
import { one } from '../../shared.wire.ts';

const MeetSessionShape = z
  .strictObject({
    uuid: z.int(),
    guid: z.uuid(),
    kind: z.literal('meet'),
    host_user_id: z.int(),
    host_link: z.string().describe('Link for the host only; do not share it'),
    guest_link: z.string().describe('Link for guests, who wait until a host admits them'),
    created_at: instant(),
    expires_at: instant().describe('Time at which the links expire'),
  })
  .meta({ id: 'MeetSession' });

export const MeetSessionResponse = one(MeetSessionShape).meta({ id: 'MeetSessionResponse' });

export function fromMeeting({ session, hostToken, guestToken }: OpenedSession, origin: string): z.input<typeof MeetSessionShape> {
  return {
    uuid: session.id,
    guid: session.guid,
    kind: 'meet',
    host_user_id: session.hostUserId,
    host_link: `${origin}/v/${hostToken}`,
    guest_link: `${origin}/v/${guestToken}`,
    created_at: writeInstant(session.createdAt),
    expires_at: writeInstant(session.expiresAt),
  };
}
