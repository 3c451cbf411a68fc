# again COMMAND … runs a command, and puts the task back into the queue, at most
# three times, if a signal ended it: the machine took its memory, or somebody killed
# it. A command that says what is wrong (a bad row) is not tried again. Files appear
# whole or not at all, so a task that runs twice does no harm.
again() {
	status=0
	"$@" || status=$?
	if [ "$status" -ge 128 ] && [ "${SLURM_RESTART_COUNT:-0}" -lt 3 ]; then
		echo "ended by a signal ($status): back into the queue" >&2
		scontrol requeue "$SLURM_JOB_ID" && sleep 60
	fi
	return "$status"
}
