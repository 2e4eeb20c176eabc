-- On the coordinator: the nodes of the cluster. A further one is added with one more line, and rows are moved to it with
-- citus_rebalance_start() (docs/scaling.md).
SELECT citus_set_coordinator_host('coordinator', 5432);
SELECT citus_add_node('node1', 5432);
SELECT citus_add_node('node2', 5432);
