import type { Tx } from '../../../domain/tx.ts';
import type { fromAccount } from './users.wire.ts';

export type ReadAccount = (tx: Tx, id: number) => Promise<{ data: ReturnType<typeof fromAccount> }>;
