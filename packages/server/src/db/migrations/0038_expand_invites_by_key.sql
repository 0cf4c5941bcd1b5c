-- The secret key that invited; null: a person did, or the invitation is from before this column.
-- Removing or demoting a person also revokes the open invitations of that person's keys.
alter table invites add column invited_by_key uuid;
