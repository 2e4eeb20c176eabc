import { z } from 'zod';
import type { SecretLinkKey } from '../../../domain/identity/secret-links.ts';
import {
  answerAtLink,
  cancelAtLink,
  confirmAtLink,
  holdAtLink,
  waitAtLink,
} from '../../../domain/scheduling/patient-booking/booking-page.ts';
import type { Tx } from '../../../domain/tx.ts';
import { timeShape } from './booking-times.ts';

/** The work of a form of the page, and the queries of the page that follows: after it was done, and where it cannot be done any more. */
interface Prepared {
  act(tx: Tx, link: SecretLinkKey): Promise<string>;
  otherwise: string;
}

/** Reads a form; null for one that the page does not have. */
type Action = (body: unknown) => Prepared | null;

const action =
  <T extends z.ZodType>(
    form: T,
    act: (tx: Tx, link: SecretLinkKey, sent: z.output<T>) => Promise<string>,
    otherwise: (sent: z.output<T>) => string,
  ): Action =>
  (body) => {
    const sent = form.safeParse(body ?? {});
    if (!sent.success) return null;
    return { act: (tx, link) => act(tx, link, sent.data), otherwise: otherwise(sent.data) };
  };

const number = z.coerce.number().int().positive();

/** By the last part of the address. */
export const ACTIONS: Readonly<Record<string, Action>> = {
  hold: action(
    z.object({ type: number, time: timeShape }),
    async (tx, link, { type: typeId, time }) => {
      const { id } = await holdAtLink(tx, link, { typeId, time });
      return `?hold=${id}`;
    },
    ({ type }) => `?move=yes&type=${type}&news=taken`,
  ),
  book: action(
    z.object({ hold: number }),
    async (tx, link, { hold }) => {
      await confirmAtLink(tx, link, hold);
      return '';
    },
    () => '?news=over',
  ),
  cancel: action(
    z.object({}),
    async (tx, link) => {
      await cancelAtLink(tx, link);
      return '?news=cancelled';
    },
    () => '',
  ),
  offer: action(
    z.object({ answer: z.enum(['Yes', 'No']) }),
    async (tx, link, { answer }) => {
      await answerAtLink(tx, link, answer);
      return answer === 'Yes' ? '' : '?news=passed';
    },
    () => '?news=offerOver',
  ),
  wait: action(
    z.object({ type: number }),
    async (tx, link, { type }) => {
      await waitAtLink(tx, link, type);
      return `?move=yes&type=${type}`;
    },
    () => '',
  ),
};
