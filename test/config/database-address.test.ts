import { describe, expect, it } from 'vitest';
import { isDatabaseUrl, readDatabasePlace, seeksPrimary, splitServers } from '../../src/config/database-address.ts';

describe('the address of a database', () => {
  it.each([
    ['postgresql://u:p@a:1/db?sslmode=require', ['postgresql://u:p@a:1/db?sslmode=require'], false],
    ['postgresql://u:p@a/db?target_session_attrs=read-write', ['postgresql://u:p@a/db'], true],
    ['postgres://u:p%40@a:1,b/db', ['postgres://u:p%40@a:1/db', 'postgres://u:p%40@b/db'], true],
    [
      'postgresql://u:p@a:1,[::1]:2/db?target_session_attrs=primary&sslmode=verify-full',
      ['postgresql://u:p@a:1/db?sslmode=verify-full', 'postgresql://u:p@[::1]:2/db?sslmode=verify-full'],
      true,
    ],
    ['postgresql://u,v:p,q@a:1/db,two', ['postgresql://u,v:p,q@a:1/db,two'], false],
    ['postgresql://%2Fvar%2Frun%2Fpostgresql/db', ['postgresql://%2Fvar%2Frun%2Fpostgresql/db'], false],
  ])('%s names its servers', (url, servers, seeks) => {
    expect({ is: isDatabaseUrl(url), servers: splitServers(url), seeks: seeksPrimary(url) }).toEqual({ is: true, servers, seeks });
  });

  it('is shown without user and password', () => {
    expect(readDatabasePlace('postgresql://u:secret@a:1,b:2/db?x=y')).toEqual({ servers: 'a:1,b:2', database: '/db' });
  });
});
