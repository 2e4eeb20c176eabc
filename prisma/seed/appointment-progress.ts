import type { Faker } from '@faker-js/faker';
import type { Prisma } from '../../src/generated/prisma/client.ts';
import { earliest, instantBetween, later } from './dates.ts';
import { drawn } from './random.ts';

const DAY = 24 * 60;

type Progress = Pick<
  Prisma.AppointmentCreateManyInput,
  'status' | 'confirmation' | 'confirmedAt' | 'confirmedBy' | 'cancelledAt' | 'createdAt' | 'updatedAt'
>;
type Status = 'scheduled' | 'arrived' | 'completed' | 'no_show' | 'cancelled';
type Answer = 'Pending' | 'Yes' | 'No';

/** The present state of an appointment: booked some time ago, perhaps confirmed, kept, missed or cancelled. */
export function appointmentProgress(random: Faker, { startsAt, endsAt, now }: { startsAt: Date; endsAt: Date; now: Date }): Progress {
  const wanted = later(startsAt, -random.number.int({ min: 2, max: 60 }) * DAY);
  const createdAt = earliest(wanted, later(now, -random.number.int({ min: 90, max: 20 * DAY })));
  const until = earliest(startsAt, now);
  const status = statusAt(random, startsAt, endsAt, now);
  const confirmation = answerTo(random, status, startsAt, now);
  const confirmedAt = confirmation === 'Pending' ? null : instantBetween(random, createdAt, until);
  const cancelledAt = status === 'cancelled' ? instantBetween(random, confirmedAt ?? createdAt, until) : null;
  const closed = status === 'completed' || status === 'no_show' ? endsAt : null;
  return {
    status,
    confirmation,
    confirmedAt,
    confirmedBy: confirmedAt && drawn(random, { patient: 3, user: 1 }),
    cancelledAt,
    createdAt,
    updatedAt: closed ?? cancelledAt ?? confirmedAt ?? createdAt,
  };
}

function statusAt(random: Faker, startsAt: Date, endsAt: Date, now: Date): Status {
  const past = drawn(random, { completed: 82, no_show: 8, cancelled: 10 });
  const future = drawn(random, { scheduled: 93, cancelled: 7 });
  if (startsAt > now) return future;
  return endsAt > now ? 'arrived' : past;
}

function answerTo(random: Faker, status: Status, startsAt: Date, now: Date): Answer {
  const soon = startsAt < later(now, 14 * DAY);
  if (status === 'cancelled') return drawn(random, { No: 6, Pending: 4 });
  if (status === 'no_show') return drawn(random, { Pending: 3, Yes: 1 });
  if (status === 'completed' || status === 'arrived') return drawn(random, { Yes: 85, Pending: 15 });
  return drawn(random, soon ? { Yes: 50, Pending: 42, No: 8 } : { Yes: 15, Pending: 83, No: 2 });
}
