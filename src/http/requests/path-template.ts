/**
 * The name of a path's placeholder as it is documented. A hyphen would end it for the router, so routes write two
 * underscores for it: `:template__uuid` is `{template-uuid}`.
 */
export const spelledName = (name: string): string => name.replaceAll('__', '-');

/** A route's address as it is documented, without the patterns of its parameters: `/patients/:uuid` is `/patients/{uuid}`. */
export const pathTemplate = (url: string): string => url.replaceAll(/:(\w+)(?:\([^)]*\))?/g, (_, name: string) => `{${spelledName(name)}}`);
