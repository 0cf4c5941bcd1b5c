// The text form of a UUID of any version. Responses and stored IDs are lowercase; requests may use
// either case.

export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

export const UUID_ANY_CASE = new RegExp(UUID, 'i');
