-- Every start of a process is a new name. Where there is no room for one, names that nobody bears
-- any more give way: a node that is not noted would not be waited for.
grant delete on policy_nodes to kr_record;
