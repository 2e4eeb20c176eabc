import { statement } from '../../database/statements/statement.ts';
import type { CallerIdentity } from '../caller.ts';
import { notFound } from '../errors.ts';
import type { PracticeTx } from '../tx.ts';
import { fullName } from '../values/person-names.ts';
import { type LookRow, type PracticeLook, toLook } from './look/look.ts';

/** An open practice as a page of a link shows it. */
interface LinkPracticeRow extends LookRow {
  id: number;
  name: string;
  /** E.164. */
  phone: string | null;
  timeZone: string;
  language: string;
  publicBooking: boolean;
}

/** Values: organization. */
const LINK_PRACTICE = statement<LinkPracticeRow>(
  'link_practice',
  `SELECT g.id, g.name, g.phone, g.time_zone AS "timeZone", g.language_id AS language, g.public_booking AS "publicBooking",
          l.colour, l.logo_hash AS "logoHash", l.logo_width AS "logoWidth", l.logo_height AS "logoHeight"
     FROM organization g LEFT JOIN organization_look l ON l.organization_id = $1
    WHERE g.id = $1 AND g.active`,
);

/** The details of a practice that a patient sees on the page of a link. */
export interface LinkPractice {
  id: number;
  /** On one line. */
  name: string;
  /** E.164. */
  phone: string | null;
  timeZone: string;
  /** Of the practice: the code of a language. */
  language: string;
  /** Anybody books at a page of the practice. */
  publicBooking: boolean;
  look: PracticeLook;
  /** Name of the user of the practice who reads its pages; absent for patients. */
  reader?: string;
}

/** Null when the practice is closed: none of its links works then. */
export async function findLinkPractice(tx: PracticeTx): Promise<LinkPractice | null> {
  const [practice] = await tx.rows(LINK_PRACTICE);
  if (!practice) return null;
  const { id, phone, timeZone, language, publicBooking } = practice;
  return { id, name: nameOnOneLine(practice), phone, timeZone, language, publicBooking, look: toLook(practice) };
}

/** The same for a page of the practice's own people. @throws Failure not_found where the practice is closed */
export async function requireLinkPractice(tx: PracticeTx & Pick<CallerIdentity, 'userId'>): Promise<LinkPractice> {
  const { userId: id } = tx;
  const practice = await findLinkPractice(tx);
  if (!practice) throw notFound('practice');
  if (id === null) return practice;
  const where = tx.key(id);
  const user = await tx.prisma.user.findUnique({ where, select: { firstName: true, lastName: true } });
  return { ...practice, reader: (user && fullName(user)) ?? '' };
}

export const nameOnOneLine = ({ name }: { name: string }): string => name.replaceAll(/\s+/g, ' ').trim();
