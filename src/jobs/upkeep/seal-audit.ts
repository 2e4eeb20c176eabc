import type { Logger } from 'pino';
import type { Config } from '../../config/config.ts';
import type { Database } from '../../database/database.ts';
import { type Keyring, KeyringError } from '../../database/encryption/keyring.ts';
import { rowsOf } from '../../database/statements/practice-rows.ts';
import { inTransaction } from '../../database/transaction.ts';
import { signAnchor } from '../../domain/audit/chain/anchors.ts';
import { organizationsToSeal, sealOrganization } from '../../domain/audit/chain/audit-chain.ts';
import { AuditChainError, describeChainError } from '../../domain/audit/chain/chain-heads.ts';
import type { ChainHead } from '../../domain/audit/chain/chain-links.ts';
import { lockChain } from '../../domain/audit/chain/chain-lock.ts';
import { createAnchorStore } from '../../gateways/anchors/create-anchor-store.ts';
import { jobGauge } from '../measures/job-gauge.ts';

/** Above 0 somebody has changed the audit: an operator must look (docs/security.md). */
const refusedChains = jobGauge(
  'audit_chains_refused',
  'Audit chains that this process could not continue at its last attempt because they were changed',
);

type SealLogger = Pick<Logger, 'info'> & Partial<Pick<Logger, 'error'>>;

/** Chains that the sealer does not continue: of each practice the reason. The message and the cause are the first of them. */
export class RefusedChains extends AuditChainError {
  readonly reasons: ReadonlyMap<number, string>;
  constructor(reasons: ReadonlyMap<number, string>, cause: unknown) {
    super([...reasons.values()][0], { cause });
    this.reasons = reasons;
  }
}

/**
 * Seals the audit rows of every organization that has new ones, in batches of one transaction each. Any number of processes may
 * run this: a chain that one is sealing is skipped by the others. A broken chain does not delay the others; one that does not end
 * with its kept head is not continued, until an operator has found out why.
 * The gauge `audit_chains_refused` counts such chains.
 * @param logger gets each new head, as evidence of the former content of the database (verifyChain), and each refused chain
 * @throws after all chains were tried: the first error of another kind, else RefusedChains
 */
export async function sealAudit(database: Database, keyring: Keyring, logger?: SealLogger): Promise<void> {
  const failures: unknown[] = [];
  const reasons = new Map<number, string>();
  let [changed, cause]: [number, unknown] = [0, undefined];
  for (const organization of await organizationsToSeal(database.pool)) {
    try {
      for (
        let head = await sealSome(database, keyring, organization);
        head !== null;
        head = await sealSome(database, keyring, organization)
      ) {
        logger?.info({ organization, position: Number(head.position), hash: head.hash }, 'audit sealed');
      }
    } catch (error) {
      if (error instanceof AuditChainError) {
        changed += 1;
        logger?.error?.({ organization, reason: error.message }, 'audit not sealed: its chain was changed');
      }
      if (error instanceof AuditChainError || error instanceof KeyringError) {
        reasons.set(organization, describeChainError(error));
        cause ??= error;
      } else failures.push(error);
    }
  }
  refusedChains.set(changed);
  if (failures.length > 0) throw failures[0];
  if (reasons.size > 0) throw new RefusedChains(reasons, cause);
}

function sealSome({ pool }: Database, keyring: Keyring, organizationId: number): Promise<ChainHead | null> {
  return inTransaction(pool, async (prepared) =>
    (await lockChain(rowsOf(prepared, organizationId))) ? sealOrganization(prepared, keyring, organizationId) : null,
  );
}

interface AnchorDeps {
  config: Config;
  database: Database;
  keyring: Keyring;
  logger: Pick<Logger, 'error'>;
}

/**
 * Adds the signed heads of all chains to the place that AUDIT_ANCHOR names, where it names one. A chain whose head does not hold is
 * left out, and logged.
 */
export async function anchorAudit({ config, database, keyring, logger }: AnchorDeps): Promise<void> {
  if (config.AUDIT_ANCHOR === undefined) return;
  const now = new Date();
  const { line, refused } = await signAnchor(database.prisma, keyring, now);
  await (await createAnchorStore(config.AUDIT_ANCHOR, config)).append(line, now);
  for (const { organizationId, reason } of refused)
    logger.error({ organization: organizationId, reason }, 'audit not anchored: its chain was changed');
}
