import type { Db } from '../../database/database.ts';
import type { CallerIdentity } from '../caller.ts';
import { notFound } from '../errors.ts';
import { findLook, type PracticeLook } from './look/look.ts';

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
  look: PracticeLook;
}

/** Null when the practice is closed: none of its links works then. */
export async function findLinkPractice(db: Db, caller: Pick<CallerIdentity, 'organizationId'>): Promise<LinkPractice | null> {
  const select = { id: true, name: true, phone: true, timeZone: true, languageId: true } as const;
  const practice = await db.organization.findFirst({ where: { id: caller.organizationId, active: true }, select });
  if (!practice) return null;
  const { languageId: language, ...shown } = practice;
  return { ...shown, language, name: nameOnOneLine(practice), look: await findLook(db, caller) };
}

/** The same for a page of the practice's own people. @throws Failure not_found where the practice is closed */
export async function requireLinkPractice(db: Db, caller: Pick<CallerIdentity, 'organizationId'>): Promise<LinkPractice> {
  const practice = await findLinkPractice(db, caller);
  if (!practice) throw notFound('practice');
  return practice;
}

export const nameOnOneLine = ({ name }: { name: string }): string => name.replaceAll(/\s+/g, ' ').trim();
