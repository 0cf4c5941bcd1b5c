// The format of a UUID of any version. In responses and in the database, IDs are lowercase;
// requests may use uppercase too.

export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

export const UUID_ANY_CASE = new RegExp(UUID, 'i');
