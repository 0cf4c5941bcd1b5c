-- Removing or demoting a member revokes the open invitations that the member made. The index is not
-- partial: a partial one would be scanned whole by other statements about open invitations.
create index invites_by_inviter on invites (invited_by);
