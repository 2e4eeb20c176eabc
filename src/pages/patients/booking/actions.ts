import { z } from 'zod';
import type { Db } from '../../../database/database.ts';
import type { Caller } from '../../../domain/caller.ts';
import type { SecretLinkKey } from '../../../domain/identity/secret-links.ts';
import {
  answerAtLink,
  cancelAtLink,
  confirmAtLink,
  holdAtLink,
  waitAtLink,
} from '../../../domain/scheduling/patient-booking/booking-page.ts';
import { timeShape } from './booking-times.ts';

/** The work of a form of the page, and the queries of the page that follows: after it was done, and where it cannot be done any more. */
interface Prepared {
  act(db: Db, caller: Caller, link: SecretLinkKey): Promise<string>;
  otherwise: string;
}

/** Reads a form; null for one that the page does not have. */
type Action = (body: unknown) => Prepared | null;

const action =
  <T extends z.ZodType>(
    form: T,
    act: (db: Db, caller: Caller, link: SecretLinkKey, sent: z.output<T>) => Promise<string>,
    otherwise: (sent: z.output<T>) => string,
  ): Action =>
  (body) => {
    const sent = form.safeParse(body ?? {});
    if (!sent.success) return null;
    return { act: (db, caller, link) => act(db, caller, link, sent.data), otherwise: otherwise(sent.data) };
  };

const number = z.coerce.number().int().positive();

/** By the last part of the address. */
export const ACTIONS: Readonly<Record<string, Action>> = {
  hold: action(
    z.object({ type: number, time: timeShape }),
    async (db, caller, link, { type: typeId, time }) => {
      const { id } = await holdAtLink(db, caller, link, { typeId, time });
      return `?hold=${id}`;
    },
    ({ type }) => `?move=yes&type=${type}&news=taken`,
  ),
  book: action(
    z.object({ hold: number }),
    async (db, caller, link, { hold }) => {
      await confirmAtLink(db, caller, link, hold);
      return '';
    },
    () => '?news=over',
  ),
  cancel: action(
    z.object({}),
    async (db, caller, link) => {
      await cancelAtLink(db, caller, link);
      return '?news=cancelled';
    },
    () => '',
  ),
  offer: action(
    z.object({ answer: z.enum(['Yes', 'No']) }),
    async (db, caller, link, { answer }) => {
      await answerAtLink(db, caller, link, answer);
      return answer === 'Yes' ? '' : '?news=passed';
    },
    () => '?news=offerOver',
  ),
  wait: action(
    z.object({ type: number }),
    async (db, caller, link, { type }) => {
      await waitAtLink(db, caller, link, type);
      return `?move=yes&type=${type}`;
    },
    () => '',
  ),
};
