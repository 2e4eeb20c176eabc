import type { Keyring } from '../../../database/encryption/keyring.ts';
import { Failure } from '../../errors.ts';
import type { Tx } from '../../tx.ts';
import { type ChainReport, verifyChain } from './verify-chain.ts';

/** Links that are verified within a request: some seconds. */
const MOST_LINKS = 200_000;

/** Verifies the chain of the caller's practice. @throws Failure unprocessable for one that takes longer than a request may */
export async function verifyOwnChain(tx: Tx, keyring: Keyring): Promise<ChainReport> {
  const { organizationId } = tx;
  const query = { where: { organizationId }, orderBy: { position: 'desc' }, select: { position: true } } as const;
  const newest = await tx.prisma.auditLink.findFirst(query);
  const checkpoint = await tx.prisma.auditCheckpoint.findFirst(query);
  if ((newest?.position ?? 0n) - (checkpoint?.position ?? 0n) > MOST_LINKS)
    throw new Failure(
      'unprocessable',
      'chain_too_long',
      `The audit has more than ${MOST_LINKS} unarchived entries, too many for a request: the operator of this server can verify it on the command line.`,
    );
  const report = await verifyChain(tx.prisma, keyring, organizationId);
  const detail = report.broken === null ? 'holds' : `broken at link ${report.broken.position}`;
  tx.journal.audits.push({ action: 'administer', resource: 'audit_chain', ids: [], detail });
  return report;
}
