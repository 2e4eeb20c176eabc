import type { Logger } from 'pino';
import type { Config } from '../../config/config.ts';
import type { Database } from '../../database/database.ts';
import type { Keyring } from '../../database/encryption/keyring.ts';
import { signAnchor } from '../../domain/audit/chain/anchors.ts';
import { createAnchorStore } from '../../gateways/anchors/create-anchor-store.ts';

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
