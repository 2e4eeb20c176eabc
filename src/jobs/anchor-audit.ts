import type { Config } from '../config/config.ts';
import type { Database } from '../database/database.ts';
import type { Keyring } from '../database/keyring.ts';
import { signAnchor } from '../domain/audit/anchors.ts';
import { createAnchorStore } from '../gateways/anchor-store.ts';

/** Adds the signed heads of all chains to the place that AUDIT_ANCHOR names, where it names one. */
export async function anchorAudit({ config, database, keyring }: { config: Config; database: Database; keyring: Keyring }): Promise<void> {
  if (config.AUDIT_ANCHOR === undefined) return;
  const now = new Date();
  await createAnchorStore(config.AUDIT_ANCHOR, config).append(await signAnchor(database.prisma, keyring, now), now);
}
