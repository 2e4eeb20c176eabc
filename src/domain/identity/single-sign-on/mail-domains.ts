import type { Db } from '../../../database/database.ts';
import type { Keyring } from '../../../database/encryption/keyring.ts';
import type { DomainRecords } from '../../../gateways/requests/domain-records.ts';
import { recordChange } from '../../audit/journal-entries.ts';
import type { CallerIdentity } from '../../caller.ts';
import { conflict, invalid } from '../../errors.ts';
import type { NewEvent } from '../../journal.ts';
import type { PracticeTx, Tx } from '../../tx.ts';
import { readMailDomain } from './identity-provider-rules.ts';

/** The DNS record (TXT) with which a practice proves that a mail domain is its own. */
interface ProofRecord {
  name: string;
  value: string;
}

/** The record for each master key, the current one first: a key that is changed asks nobody to change their records. */
const listProofRecords = (keyring: Keyring, organizationId: number, domain: string): ProofRecord[] =>
  keyring.ids.map((id) => ({
    name: `_triptych.${domain}`,
    value: `triptych=${keyring.mac('mail-domain', `${organizationId} ${domain}`, id).toString('base64url')}`,
  }));

export interface ClaimedDomain {
  domain: string;
  isProven: boolean;
  record: ProofRecord;
}

/** The claimed domains of a practice, and how each is proven. */
export async function listClaimedDomains(tx: PracticeTx, keyring: Keyring, claimed: readonly string[]): Promise<ClaimedDomain[]> {
  const { organizationId } = tx;
  const rows = await tx.prisma.mailDomain.findMany({ where: { organizationId }, select: { domain: true } });
  const proven = new Set(rows.map(({ domain }) => domain));
  return claimed.map((domain) => {
    const [record = { name: '', value: '' }] = listProofRecords(keyring, organizationId, domain);
    return { domain, isProven: proven.has(domain), record };
  });
}

/** Those of some domains whose records prove them now. Asks their name servers, so not in a transaction. */
export async function findRecordedDomains(
  records: DomainRecords,
  keyring: Keyring,
  { organizationId }: Pick<CallerIdentity, 'organizationId'>,
  domains: readonly string[],
): Promise<string[]> {
  const isRecorded = async (domain: string): Promise<boolean> => {
    const expected = listProofRecords(keyring, organizationId, domain);
    const texts = await records.findTexts(`_triptych.${domain}`);
    return expected.some(({ value }) => texts.includes(value));
  };
  const found = await Promise.all(domains.map(isRecorded));
  return domains.filter((_, index) => found[index]);
}

/**
 * Records that the caller's practice has proven claimed domains. The first proof of a domain wins.
 * @param way how it was proven, for the audit
 * @throws Failure conflict for a domain that another practice has proven
 */
export async function proveDomains(tx: Tx, domains: readonly string[], way: 'DNS' | 'the word of the operator'): Promise<void> {
  const { organizationId } = tx;
  const data = domains.map((domain) => ({ domain, organizationId }));
  const { count } = await tx.prisma.mailDomain.createMany({ data, skipDuplicates: true });
  const found = await tx.prisma.mailDomain.findMany({ where: { domain: { in: [...domains] } } });
  const foreign = found.find((row) => row.organizationId !== organizationId);
  if (foreign) throw conflict('domain_proven', `Another practice has proven ${foreign.domain}. Only one practice can sign in with it.`);
  if (count === 0) return;
  const event: NewEvent = { name: 'identity_provider.changed', id: organizationId, changed: ['emailDomains'] };
  recordChange(tx, 'administer', event, [], `proved by ${way}: ${domains.join(' ')}`);
}

/** Proves a domain by the operator's word. @throws Failure invalid for one that the practice does not claim; as proveDomains */
export async function proveByWord(tx: Tx, domain: string): Promise<void> {
  const provider = await tx.prisma.identityProvider.findUnique({
    where: tx.practice,
    select: { emailDomains: true },
  });
  if (!provider?.emailDomains.includes(domain))
    throw invalid('domain', `"${domain}" is not among the mail domains of the identity provider`);
  await proveDomains(tx, [domain], 'the word of the operator');
}

/** Gives up the proofs of domains that a practice does not claim any more: others may prove them. */
export async function keepProofs(tx: PracticeTx, claimed: readonly string[]): Promise<void> {
  await tx.prisma.mailDomain.deleteMany({ where: { ...tx.practice, domain: { notIn: [...claimed] } } });
}

/**
 * The practice that has proven the domain of a mail address; null for none. The address itself is not looked up, so that it says nothing
 * of an account.
 */
export async function findPracticeOfDomain(db: Db, email: string): Promise<number | null> {
  const found = await db.mailDomain.findUnique({ where: { domain: readMailDomain(email) }, select: { organizationId: true } });
  return found?.organizationId ?? null;
}
