package main

import (
	"context"
	"errors"
	"flag"
	"os"
	"strings"
	"time"

	fnpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/fnexecution_v1"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/util/grpcx"
	"google.golang.org/protobuf/encoding/protojson"
)

// A task manager of Flink, or another engine with process environments, starts a worker by
// this command with --id and an address that says where logs and bundles are. Beam's own
// program for it, boot, first fetches the program that is here, and leaves the worker behind
// when it is ended.

// provisioned takes what a worker needs from the engine at an address, in flags of Beam.
func provisioned(ctx context.Context, endpoint string) error {
	ctx = grpcx.WriteWorkerID(ctx, flag.Lookup("id").Value.String())
	conn, err := grpcx.Dial(ctx, endpoint, 2*time.Minute)
	if err != nil {
		return err
	}
	defer conn.Close()
	r, err := fnpb.NewProvisionServiceClient(conn).GetProvisionInfo(ctx, &fnpb.GetProvisionInfoRequest{})
	if err != nil {
		return err
	}
	info := r.GetInfo()
	if info.GetControlEndpoint().GetUrl() == "" {
		return errors.New("the engine does not say where the bundles of a worker are")
	}
	options, err := protojson.Marshal(info.GetPipelineOptions())
	if err != nil {
		return err
	}
	os.Setenv("RUNNER_CAPABILITIES", strings.Join(info.GetRunnerCapabilities(), " "))
	os.Setenv("STATUS_ENDPOINT", info.GetStatusEndpoint().GetUrl())
	for name, value := range map[string]string{"worker": "true", "logging_endpoint": info.GetLoggingEndpoint().GetUrl(), "control_endpoint": info.GetControlEndpoint().GetUrl(), "options": string(options)} {
		if err := flag.Set(name, value); err != nil {
			return err
		}
	}
	go endWithParent(os.Getppid())
	return nil
}

// endWithParent ends this process after the one that started it: Beam's harness would stay.
func endWithParent(parent int) {
	for os.Getppid() == parent {
		time.Sleep(time.Second)
	}
	os.Exit(1)
}
