import type { Prisma } from '../../src/generated/prisma/client.ts';
import { later } from './dates.ts';
import { cycle } from './random.ts';
import type { Seeding } from './seeding.ts';

/** What host and patient wrote to each other in a visit, by turns; the patient begins. */
const TALKS = [
  ['I can see you, but I cannot hear you.', 'Please try to turn up the sound on your phone.', 'Now it works, thank you.'],
  ['Which dose was it again?', 'Ten milligrams, once a day, in the morning.'],
] as const;
/** Every third visit has a chat. */
const EVERY = 3;

interface Attended {
  videoSessionId: number;
  startsAt: Date;
  hostParticipantId: number;
  guestParticipantId: number;
}

/** The chat of some visits that took place. */
export async function seedChats({ tx, organizationId }: Seeding, attended: readonly Attended[]): Promise<void> {
  const data = attended
    .filter((_, index) => index % EVERY === 0)
    .flatMap(({ videoSessionId, startsAt, hostParticipantId, guestParticipantId }, index) =>
      cycle<readonly string[]>(TALKS, index).map(
        (text, turn): Prisma.SessionChatMessageCreateManyInput => ({
          organizationId,
          videoSessionId,
          visit: 1,
          participantId: turn % 2 === 0 ? guestParticipantId : hostParticipantId,
          text,
          sentAt: later(startsAt, 2 + turn),
        }),
      ),
    );
  await tx.sessionChatMessage.createMany({ data });
}
