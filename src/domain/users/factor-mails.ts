import { resetSecondFactors } from '../identity/factors/second-factors.ts';
import type { Tx } from '../tx.ts';
import { type AccountMailDeps, findMailedUser, mailUser } from './account-mails.ts';
import { FACTOR_MAILS, type FactorNews } from './factor-words.ts';

/** Tells a user by mail that their second factors changed, so that they notice where it was somebody else. */
export async function mailFactorNews(tx: Tx, deps: AccountMailDeps, userId: number, news: FactorNews): Promise<void> {
  const to = await findMailedUser(tx, userId);
  if (to) await mailUser(tx, deps, to, { words: FACTOR_MAILS[news], path: '/sign-in/forgot' });
}

/** As resetSecondFactors, and tells the user. @throws Failure not_found */
export async function takeFactorsAway(tx: Tx, deps: AccountMailDeps, userId: number): Promise<{ factors: number; sessions: string[] }> {
  const taken = await resetSecondFactors(tx, userId);
  await mailFactorNews(tx, deps, userId, 'factors_reset');
  return taken;
}
