import type { Db } from '../../../database/database.ts';
import type { CallerIdentity } from '../../../domain/caller.ts';
import type { fromAccount } from './users.wire.ts';

export type ReadAccount = (db: Db, caller: CallerIdentity, id: number) => Promise<{ data: ReturnType<typeof fromAccount> }>;
