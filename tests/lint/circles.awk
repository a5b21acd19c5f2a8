# keep_circles(edge, nodes): deletes the edges (from, to) of a graph that lie in no circle.
function keep_circles(edge, nodes,   changed, v, e, ends, goes, comes) {
    do { # a node that no edge enters, or no edge leaves, is in no circle
        changed = 0
        for (v in nodes) {
            goes = comes = 0
            for (e in edge) {
                split(e, ends, SUBSEP)
                goes += ends[1] == v
                comes += ends[2] == v
            }
            if (goes && comes) continue
            changed = 1
            delete nodes[v]
            for (e in edge) {
                split(e, ends, SUBSEP)
                if (ends[1] == v || ends[2] == v) delete edge[e]
            }
        }
    } while (changed)
}
