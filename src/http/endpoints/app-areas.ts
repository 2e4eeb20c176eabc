import { APP_SCOPES, type AppScope } from '../../domain/identity/clients/client-scopes.ts';

/** The areas that each scope of apps opens, by the tags of the operations as they are declared. */
export interface AppAreas {
  /** @param scope null for an operation that no app calls */
  note(scope: AppScope | null, tag: string): void;
  /** Tags, sorted. */
  listAreas(scope: AppScope): string[];
}

export function createAppAreas(): AppAreas {
  const areas = new Map<AppScope, Set<string>>(APP_SCOPES.map((scope) => [scope, new Set()]));
  return {
    note(scope, tag) {
      if (scope !== null) areas.get(scope)?.add(tag);
    },
    listAreas: (scope) => [...(areas.get(scope) ?? [])].sort(),
  };
}
